import { useEffect, useState } from "preact/hooks";
import { apiKey, send, urlOf } from "../http/call.ts";

interface PictureProps {
  readonly path: string;
  /** What it shows. */
  readonly of: string;
}

/** A picture of the gateway. With an API key it is fetched, because an <img> sends none. */
export function Picture({ path, of }: PictureProps) {
  const key = apiKey.value;
  const [source, setSource] = useState(key === "" ? urlOf(path) : "");
  useEffect(() => {
    if (key === "") return setSource(urlOf(path));
    const stopped = new AbortController();
    let url = "";
    const fetchPicture = async (): Promise<void> => {
      const response = await send(path, { signal: stopped.signal });
      url = URL.createObjectURL(await response.blob());
      if (stopped.signal.aborted) URL.revokeObjectURL(url);
      else setSource(url);
    };
    // Without the picture its place stays empty; its text is beside it.
    fetchPicture().catch(() => undefined);
    return () => {
      stopped.abort();
      URL.revokeObjectURL(url);
    };
  }, [path, key]);
  return source === "" ? <span class="picture" /> : <img class="picture" src={source} alt={of} loading="lazy" />;
}
