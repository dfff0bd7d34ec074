/** The package's own types are made when it is built; the panel is checked without it too. */
declare module "despacho" {
  export const createPreviewer: import("./package").Package["createPreviewer"] | null;
  export const lookupPostcode: import("./package").Package["lookupPostcode"] | undefined;
}
