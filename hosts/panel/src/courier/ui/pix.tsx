/** The Pix code of a delivery on the whole screen, for the recipient's phone. It needs no network. */

import { useState } from "preact/hooks";
import { money } from "../../brazil";
import { Dialog } from "../../ui/dialog";
import { openPix } from "../payment";
import { texts } from "../texts";
import type { Order } from "../wire";
import { Button, Copy } from "./parts";
import { QrCode } from "./qr";

/** Shows the code of a delivery, if something is due by Pix. */
export function PixButton(props: { of: Order["deliveries"][number] }) {
  const t = texts.value.pix;
  const [isOpen, setOpen] = useState(false);
  const pix = openPix(props.of);
  if (pix === null) return null;
  return (
    <>
      <Button testId="pix" onClick={() => setOpen(true)}>
        {t.show}
      </Button>
      {isOpen && (
        <Dialog full title={t.title} close={() => setOpen(false)}>
          <div class="pix" data-testid="pix-code">
            <p class="pix-amount">{money(pix.amount)}</p>
            <p>{t.to(pix.name)}</p>
            <QrCode text={pix.brCode} label={t.title} class="pix-qr" />
            <p class="dim">{t.hint}</p>
            <p class="notice">{t.unconfirmed}</p>
            <div class="pix-copy">
              <code>{pix.brCode}</code>
              <Copy text={pix.brCode} label={t.copyPaste} />
            </div>
            <Button onClick={() => setOpen(false)}>{texts.value.close}</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
