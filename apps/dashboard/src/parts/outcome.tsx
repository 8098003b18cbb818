import { useState } from "preact/hooks";
import { CallError } from "../http/call.ts";
import { Message } from "./panel.tsx";

/** Shows how a call to the gateway ended: `done`, or `failed` and the reason. */
export function useOutcome() {
  const [ended, setEnded] = useState<{ readonly kind: "empty" | "problem"; readonly text: string }>();
  const attempt = async (call: Promise<unknown>, done: string, failed: string): Promise<void> => {
    try {
      await call;
      setEnded({ kind: "empty", text: done });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setEnded({ kind: "problem", text: `${failed}: ${error.message}` });
    }
  };
  const outcome = <div role="status">{ended !== undefined && <Message kind={ended.kind}>{ended.text}</Message>}</div>;
  return { outcome, attempt };
}
