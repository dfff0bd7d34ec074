/** A Pix code: amount, recipient, QR code and the text to copy. */

import type { Pix } from "../api/wire";
import { money } from "../format";
import { paymentTexts } from "../i18n/payments";
import { Copy } from "./parts";
import { QrCode } from "./qr";

export function PixCode(props: { of: Pix; hint: string }) {
  const t = paymentTexts.value;
  const { brCode, amount, name, txid } = props.of;
  return (
    <div class="pix" data-testid="pix-code">
      <p class="amount">{money(amount)}</p>
      <p>
        {name} <span class="dim number">{txid}</span>
      </p>
      <QrCode text={brCode} label={t.pix} class="pix-qr" />
      <p class="secret-line">
        <code>{brCode}</code>
        <Copy text={brCode} label={t.copy} />
      </p>
      <p class="hint">{props.hint}</p>
    </div>
  );
}
