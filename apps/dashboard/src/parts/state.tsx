const signs = { good: "✓", bad: "✗", busy: "…" } as const;

interface StateProps {
  readonly kind: keyof typeof signs;
  readonly text: string;
}

/** A state as sign, word and colour. */
export function State({ kind, text }: StateProps) {
  return (
    <span class={`state ${kind}`}>
      <span aria-hidden="true">{signs[kind]}</span> {text}
    </span>
  );
}
