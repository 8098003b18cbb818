import { Heading } from "../../parts/heading.tsx";
import { Message } from "../../parts/message.tsx";
import { PickForm } from "../../parts/pick-form.tsx";
import { today } from "../../parts/format.ts";
import { goTo, linkTo } from "../../route/route.ts";
import { StoreBoards } from "./store-boards.tsx";

interface StoresViewProps {
  readonly storeID: string | undefined;
  /** As "2026-11-20"; undefined: today. */
  readonly date: string | undefined;
}

/** What sells in a store, and when its last purchase arrived. */
export function StoresView({ storeID, date }: StoresViewProps) {
  return (
    <>
      <Heading text={storeID === undefined ? "Stores" : `Store ${storeID}`} />
      <PickForm label="Store" value={storeID} onPick={(id) => goTo(["stores", id], { date })} />
      {storeID === undefined ? (
        <Message kind="empty">
          Choose a store to see what sells there, such as <a href={linkTo(["stores", 1])}>store 1</a>.
        </Message>
      ) : (
        <StoreBoards key={storeID} storeID={storeID} date={date ?? today()} />
      )}
    </>
  );
}
