/** The panel's map, in a file of its own so that it is loaded on demand with its styles. */

import "../../styles/map.css";

export { RouteMap as TripMap } from "../../ui/map";
