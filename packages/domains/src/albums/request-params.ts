import { Type } from "typebox";

/** An album's id as it stands in a path; whether it is one of ours is judged by parseAlbumId. */
export const AlbumParams = Type.Object({ albumID: Type.String() });
