import { useEffect } from "preact/hooks";

/** The name of the view, in the page and in the tab. */
export function Heading({ text }: { readonly text: string }) {
  useEffect(() => {
    document.title = `${text} – tally`;
  }, [text]);
  return <h1>{text}</h1>;
}
