import { useWatch, type Live } from "../../live/use-watch.ts";
import { Bars, Picture } from "../../parts/bars.tsx";
import { Heading, LivePanel, Message } from "../../parts/panel.tsx";
import { asOfIn, entriesOf, pathOf, valuesOf, type Board, type BoardEntry, type Boards } from "./boards.ts";
import { PickForm } from "../../parts/form.tsx";
import { goTo } from "../../route/route.ts";

interface BoardViewProps {
  readonly views: Live<Boards>;
  readonly domain: string | undefined;
  readonly name: string | undefined;
  readonly given: Readonly<Record<string, string>>;
}

/** A board that a domain describes. This page knows no domain by name. */
export function BoardView({ views, domain, name, given }: BoardViewProps) {
  const board = views.body?.views.find((view) => view.domain === domain && view.name === name);
  const values = board === undefined ? {} : valuesOf(board, given);
  const path = board === undefined ? undefined : pathOf(board, values);
  const live = useWatch<unknown>(path);
  if (board === undefined) {
    const isLoading = views.body === undefined && views.problem === undefined;
    return (
      <>
        <Heading text="Boards" />
        {isLoading ? (
          <Message kind="waiting">Loading…</Message>
        ) : (
          <Message kind="empty">
            {views.problem?.message ?? "There is no such board. Choose one from the menu."}
          </Message>
        )}
      </>
    );
  }
  return (
    <>
      <Heading text={board.title} />
      {board.params.length > 0 && (
        <PickForm
          params={board.params}
          values={values}
          isRequired={(param) => board.path.split("?", 1)[0]?.includes(`{${param}}`) === true}
          onPick={(picked) => goTo(["boards", board.domain, board.name], picked)}
        />
      )}
      {path === undefined ? (
        <Message kind="empty">Fill in the values above to see the board.</Message>
      ) : (
        <LivePanel
          key={path}
          title={`${board.count.label} by ${board.member.label.toLowerCase()}`}
          live={live}
          asOf={asOfIn}
        >
          {(body) => <Entries board={board} entries={entriesOf(board, body)} />}
        </LivePanel>
      )}
    </>
  );
}

function Entries({ board, entries }: { readonly board: Board; readonly entries: readonly BoardEntry[] }) {
  const bars = entries.map(({ key, member, count, image }) => ({
    key,
    label: member,
    count,
    ...(image !== undefined && { image: <Picture path={image} of={`${board.member.label} ${member}`} /> }),
  }));
  return <Bars title={board.title} bars={bars} empty="Nothing is ranked here yet." />;
}
