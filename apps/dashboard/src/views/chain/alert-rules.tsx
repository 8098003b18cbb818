import { useWatch, type BodyOf } from "../../live/use-watch.ts";
import { numberText } from "../../parts/format.ts";
import { Edit, Message } from "../../parts/panel.tsx";
import { SaveForm } from "../../parts/save-form.tsx";

type Rule = BodyOf<"/alert-rules">["rules"][number];

const sentences: Readonly<Record<Rule["rule"], (rule: Rule) => string>> = {
  silent: ({ minutes, minimum }) =>
    `A store has sold nothing for ${minutes} minutes, and at least ${minimum} units in the same time a week ago.`,
  dates: ({ minutes }) => `In the last ${minutes} minutes a store sold only on business days that are not its own.`,
  returns: ({ above, minimum }) =>
    `More than ${numberText(100 * above)} % of what a store sold today, and at least ${minimum} units, was returned.`,
  surge: ({ minutes, minimum, above }) =>
    `In ${minutes} minutes one of the best items sold at least ${minimum} units, and more than ${above} times as many as a week ago.`,
};
const fields: Readonly<Record<Rule["rule"], readonly ("minutes" | "minimum" | "above")[]>> = {
  silent: ["minutes", "minimum"],
  dates: ["minutes"],
  returns: ["above", "minimum"],
  surge: ["minutes", "minimum", "above"],
};
const labels = { minutes: "Minutes", minimum: "Units at least", above: "More than this many times (0.2: 20 %)" };

/** What each rule of the alerts says, and a form that changes it. */
export const AlertRules = () => (
  <Edit summary="What needs attention">
    <Rules />
  </Edit>
);

function Rules() {
  const { body, problem } = useWatch<BodyOf<"/alert-rules">>("/alert-rules");
  if (body === undefined)
    return <Message kind={problem ? "problem" : "waiting"}>{problem?.message ?? "Loading…"}</Message>;
  return body.rules.map((one) => (
    <details key={one.rule} class="edit">
      <summary>
        {one.isOn ? "" : "Off: "}
        {sentences[one.rule](one)}
      </summary>
      <SaveForm
        path={`/alert-rules/${one.rule}`}
        params={[
          { name: "isOn", label: "Rule", kind: "choice", choices: ["on", "off"] },
          ...fields[one.rule].map((name) => ({ name, label: labels[name], kind: "text" }) as const),
        ]}
        loaded={one}
        valuesOf={(stored) => ({
          isOn: stored.isOn ? "on" : "off",
          ...Object.fromEntries(fields[one.rule].map((name) => [name, String(stored[name])])),
        })}
        isRequired={() => true}
        bodyOf={({ isOn, ...numbers }) => ({
          isOn: isOn === "on",
          ...Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, Number(text)])),
        })}
        saved={`It applies ${one.rule === "returns" ? "within a quarter of an hour" : "from the next minute on"}.`}
      />
    </details>
  ));
}
