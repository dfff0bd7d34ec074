/** The seldom steps of the next stop. */

import { Dialog } from "../../ui/dialog";
import type { StepKind } from "../steps";
import { texts } from "../texts";
import { Button } from "./parts";

export function MoreDialog(props: {
  kinds: readonly StepKind[];
  start: (kind: StepKind) => void;
  close: () => void;
}) {
  const t = texts.value;
  return (
    <Dialog title={t.trip.more} close={props.close}>
      <div class="stack">
        {props.kinds.map((kind) => (
          <Button
            key={kind}
            kind={kind === "resequence" ? "plain" : "danger"}
            testId={`do-${kind}`}
            onClick={() => props.start(kind)}
          >
            {t.steps[kind]}
          </Button>
        ))}
        <Button onClick={props.close}>{t.close}</Button>
      </div>
    </Dialog>
  );
}
