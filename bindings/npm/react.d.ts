// Declares <despacho-preview> for the JSX of React 19 and newer. Importing the module registers the element.
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { DespachoPreviewElement, DespachoPreviewProps } from "./preview-element.js";

export * from "./preview-element.js";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "despacho-preview": DetailedHTMLProps<
        HTMLAttributes<DespachoPreviewElement>,
        DespachoPreviewElement
      > &
        DespachoPreviewProps;
    }
  }
}
