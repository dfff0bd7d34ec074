// Declares <despacho-preview> for the JSX of Preact 10 and newer. Importing the module registers the element.
import type { HTMLAttributes } from "preact";
import type { DespachoPreviewElement, DespachoPreviewProps } from "./preview-element.js";

export * from "./preview-element.js";

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      "despacho-preview": Omit<HTMLAttributes<DespachoPreviewElement>, keyof DespachoPreviewProps> &
        DespachoPreviewProps;
    }
  }
}
