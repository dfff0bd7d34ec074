import type { ComponentChildren } from "preact";
import { whatsappLink } from "../whatsapp";

/** A link to a chat with a draft. The number is often shown beside it, so the label says whom it is for. */
export function WhatsApp(props: {
  phone: string | null;
  text: string;
  label: string;
  class?: string;
  children?: ComponentChildren;
}) {
  const url = whatsappLink(props.phone, props.text);
  return url === null ? null : (
    <a
      class={props.class ?? "button small"}
      href={url}
      target="_blank"
      rel="noopener"
      aria-label={props.label}
    >
      {props.children ?? "WhatsApp"}
    </a>
  );
}
