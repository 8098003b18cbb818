/** Runs a task for each number from 0 to `count` - 1, at most `lanes` at a time. */
export async function inLanes(
  count: number,
  lanes: number,
  task: (index: number, lane: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const run = async (_: unknown, lane: number): Promise<void> => {
    for (let index = next++; index < count; index = next++) await task(index, lane);
  };
  await Promise.all(Array.from({ length: lanes }, run));
}
