import { useState } from "preact/hooks";
import { apiKey, CallError, send, urlOf } from "../http/call.ts";

/** A link to what a panel shows as CSV. With an API key it is fetched, because a link sends none. `path`: a GET route
 * whose response has a list. `of`: for screen readers. */
export function Download({ path, of }: Readonly<Record<"path" | "of", string>>) {
  const [problem, setProblem] = useState("");
  const csv = `${path}${path.includes("?") ? "&" : "?"}format=csv`;
  const fetchFile = async (): Promise<void> => {
    const response = await send(csv);
    const [, name = ""] = /filename="(.*)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
    const href = URL.createObjectURL(await response.blob());
    Object.assign(document.createElement("a"), { href, download: name }).click();
    // The browser has begun to save it.
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  };
  const showProblem = (error: unknown): void => {
    if (!(error instanceof CallError)) throw error;
    setProblem(`: ${error.message}`);
  };
  return (
    <a
      href={urlOf(csv)}
      download
      aria-label={`Download ${of}`}
      onClick={(event) => {
        if (apiKey.value === "") return;
        event.preventDefault();
        fetchFile().then(() => setProblem(""), showProblem);
      }}
    >
      Download{problem}
    </a>
  );
}
