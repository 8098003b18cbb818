import { useId, useRef, useState } from "preact/hooks";

export interface ConfirmButtonProps {
  readonly text: string;
  readonly question: string;
  readonly detail: string;
  /** The text of the button that does it. */
  readonly confirm: string;
  readonly onConfirm: () => Promise<void>;
}

/** A button for what cannot be undone. It asks first, in the browser's own dialog: Escape cancels, and the focus returns to the button. */
export function ConfirmButton({ text, question, detail, confirm, onConfirm }: ConfirmButtonProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const act = async (): Promise<void> => {
    setBusy(true);
    await onConfirm().finally(() => setBusy(false));
    dialog.current?.close();
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        {text}
      </button>
      <dialog ref={dialog} aria-labelledby={id}>
        <h2 id={id}>{question}</h2>
        <p>{detail}</p>
        <p class="actions">
          <button type="button" class="main" disabled={isBusy} onClick={() => void act()}>
            {confirm}
          </button>{" "}
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </dialog>
    </>
  );
}
