import { expect, test } from "vitest";
import { idBytes, Recorder } from "./recorder.ts";

test.each([
  [true, 2 * idBytes],
  [false, 0],
])("ids are kept only where they are read (%s), and samples are taken in any case", (keepsIds, bytes) => {
  const samples: string[] = [];
  const recorder = new Recorder(({ id }) => samples.push(id), { keepsIds });
  const id = "01a1fb30-2980-71ee-89cd-4f71757df440";
  for (let n = 0; n < 2; n++) recorder.record({ name: "responded", status: 201, id, text: "", ms: 1 }, false);
  recorder.result();
  expect(recorder.ids).toHaveLength(bytes);
  expect(samples).toEqual([id]);
});
