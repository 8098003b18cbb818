/** Repeats each choice by its weight, so that an even pick is a weighted one. */
export function weighted<T>(...choices: readonly [Weighted<T>, ...Weighted<T>[]]): readonly [T, ...T[]] {
  const all = choices.flatMap(([weight, choice]) => Array.from({ length: weight }, () => choice));
  return [choices[0][1], ...all.slice(1)];
}

type Weighted<T> = readonly [weight: number, choice: T];
