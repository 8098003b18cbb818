import { useEffect, useState } from "preact/hooks";
import { urlOf } from "../http/call.ts";
import { atLeastText } from "../parts/format.ts";
import { linkTo, route } from "../route/route.ts";
import { boardsOf, type Board } from "../views/boards/boards.ts";

interface Entry {
  readonly text: string;
  readonly path: readonly string[];
  /** Such as the number of open dead letters. */
  readonly count?: number | undefined;
}

interface NavigationProps {
  readonly views: readonly Board[];
  readonly deadLetters: number | undefined;
}

/** All views. The boards are those that the domains describe. On a phone a menu. */
export function Navigation({ views, deadLetters }: NavigationProps) {
  const [isOpen, setOpen] = useState(false);
  const { path } = route.value;
  useEffect(() => setOpen(false), [path]);
  const groups: readonly (readonly [title: string, entries: readonly Entry[]])[] = [
    [
      "Sales",
      [
        ...["Chain", "Stores", "Items"].map((text) => ({ text, path: [text.toLowerCase()] })),
        { text: "Wall display", path: ["wall"] },
      ],
    ],
    ["Boards", boardsOf(views).map(({ domain, name, title }) => ({ text: title, path: ["boards", domain, name] }))],
    [
      "Operation",
      [
        { text: "Pipeline", path: ["pipeline"] },
        { text: "Dead letters", path: ["dead-letters"], count: deadLetters },
      ],
    ],
  ];
  const current = path.length === 0 ? ["chain"] : path;
  return (
    <nav class="side" aria-label="Views">
      <button type="button" class="menu" aria-expanded={isOpen} aria-controls="views" onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">☰</span> Menu
      </button>
      <div id="views" class={isOpen ? "views open" : "views"}>
        {groups
          .filter(([, entries]) => entries.length > 0)
          .map(([title, entries]) => (
            <section key={title}>
              <h2>{title}</h2>
              <ul>
                {entries.map((entry) => (
                  <li key={entry.path.join("/")}>
                    <a
                      href={linkTo(entry.path)}
                      aria-current={entry.path.every((part, index) => part === current[index]) ? "page" : undefined}
                    >
                      {entry.text}
                      {entry.count !== undefined && entry.count > 0 && (
                        <span class="badge">
                          {atLeastText(entry.count)}
                          <span class="unseen"> open</span>
                        </span>
                      )}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        <section>
          <h2>Development</h2>
          <ul>
            <li>
              <a href={urlOf("/docs")}>API reference</a>
            </li>
          </ul>
        </section>
      </div>
    </nav>
  );
}
