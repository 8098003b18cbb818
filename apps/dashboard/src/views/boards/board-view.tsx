import type { ComponentChildren } from "preact";
import { useWatch, type Live } from "../../live/use-watch.ts";
import { Bars, Picture } from "../../parts/bars.tsx";
import { Heading, LivePanel, Message } from "../../parts/panel.tsx";
import {
  asOfIn,
  chosenIn,
  entriesOf,
  labelOf,
  owners,
  pathOf,
  valuesOf,
  type Board,
  type Boards,
  type Values,
} from "./boards.ts";
import { PickForm } from "../../parts/form.tsx";
import { goTo, linkTo, route } from "../../route/route.ts";

interface BoardViewProps {
  readonly views: Live<Boards>;
  readonly domain: string | undefined;
  readonly name: string | undefined;
  readonly given: Values;
}

/** A board that a domain describes. This page knows no domain by name. */
export function BoardView({ views, domain, name, given }: BoardViewProps) {
  const board = views.body?.views.find((view) => view.domain === domain && view.name === name);
  if (board === undefined) {
    return (
      <>
        <Heading text="Boards" />
        <NoBoard views={views} />
      </>
    );
  }
  const values = valuesOf(board, given);
  const path = pathOf(board, values);
  const owner = Object.entries(owners).find(([, { param }]) => param === board.member.field)?.[0];
  const linkOf = (member: string, of: string) => {
    const { date, by } = values;
    return owner === undefined ? (
      labelOf(member, of)
    ) : (
      <a href={linkTo([owner, member], { date, by })}>{labelOf(member, of)}</a>
    );
  };
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
        <BoardPanel
          key={path}
          board={board}
          values={values}
          title={`${board.count.label} by ${board.member.label.toLowerCase()}`}
          linkOf={linkOf}
          empty="Nothing is ranked here yet."
        />
      )}
    </>
  );
}

/** In place of a board: the views are not there yet, or have none. */
export function NoBoard({ views: { body, problem } }: Pick<BoardViewProps, "views">) {
  if (body === undefined && problem === undefined) return <Message kind="waiting">Loading…</Message>;
  return <Message kind="empty">{problem?.message ?? "There is no such board. Choose one from the menu."}</Message>;
}

interface BoardPanelProps {
  readonly board: Board;
  readonly values: Values;
  readonly title: string;
  /** In place of a ranking without entries. */
  readonly empty: string;
  readonly linkOf: (member: string, name: string) => ComponentChildren;
  readonly wide?: boolean;
}

/** The ranking that the values choose. */
export function BoardPanel({ board, values, title, empty, linkOf, wide = false }: BoardPanelProps) {
  const path = pathOf(board, values);
  const live = useWatch<unknown>(path);
  const place = route.value.path;
  const barsOf = (body: unknown) =>
    entriesOf(board, values, body).map(({ key, member, name, count, image }) => ({
      key,
      label: linkOf(member, name),
      isNamed: name !== "",
      count,
      image: image === undefined ? undefined : <Picture path={image} of={`${board.member.label} ${member}`} />,
    }));
  return (
    <LivePanel
      title={title}
      live={live}
      asOf={asOfIn}
      wide={wide}
      csv={path}
      linkOf={(body) => linkTo(place, chosenIn(body, values, place))}
    >
      {(body) => <Bars title={title} bars={barsOf(body)} empty={empty} />}
    </LivePanel>
  );
}
