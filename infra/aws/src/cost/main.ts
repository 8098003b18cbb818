import { profiles } from "../profiles.ts";
import { costText } from "./cost-text.ts";

console.log(profiles.map(costText).join("\n\n"));
