import { useState } from "preact/hooks";
import { setApiKey } from "../http/call.ts";
import { feed } from "../live/live-feed.ts";

/** Asks for an API key when the gateway requires one. */
export function KeyForm({ reason }: { readonly reason: string }) {
  const [key, setKey] = useState("");
  return (
    <form
      class="panel key"
      onSubmit={(event) => {
        event.preventDefault();
        setApiKey(key.trim());
        feed.retry();
      }}
    >
      <h2>This gateway needs an API key</h2>
      <p>
        <label>
          API key{" "}
          <input
            type="password"
            autoComplete="off"
            required
            value={key}
            onInput={({ currentTarget }) => setKey(currentTarget.value)}
          />
        </label>{" "}
        <button type="submit">Continue</button>
      </p>
      {reason !== "" && (
        <p class="message problem" role="alert">
          {reason}
        </p>
      )}
      <p class="hint">
        An operator creates one: <code>pnpm tally keys create --name page --scope '*:read'</code>. It stays in this tab
        and is gone when you close it.
      </p>
    </form>
  );
}
