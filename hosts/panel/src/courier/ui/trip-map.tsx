/** The panel's map, in a file of its own so that it is loaded on demand. */

export { RouteMap as TripMap } from "../../ui/map";
