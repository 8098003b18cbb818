import { lessonOfS0 } from "./lesson-of-s0.ts";
import { lessonOfS1 } from "./lesson-of-s1.ts";
import { lessonOfS2 } from "./lesson-of-s2.ts";
import { lessonOfS3 } from "./lesson-of-s3.ts";
import { lessonOfS4 } from "./lesson-of-s4.ts";
import type { Lesson } from "./lesson.ts";

const lessons: Readonly<Record<string, Lesson>> = {
  S0: lessonOfS0,
  S1: lessonOfS1,
  S2: lessonOfS2,
  S3: lessonOfS3,
  S4: lessonOfS4,
};

/** The lesson of a source. Throws RangeError for a source without one. */
export function lessonOf(source: string): Lesson {
  const found = lessons[source];
  if (found === undefined) throw new RangeError(`there is no lesson of ${source}`);
  return found;
}
