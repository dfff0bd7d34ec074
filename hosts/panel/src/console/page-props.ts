/** What every page of the console receives. */
export interface PageProps {
  /** The segments of the route after the page's name, for example an order's ID. */
  rest: readonly string[];
}
