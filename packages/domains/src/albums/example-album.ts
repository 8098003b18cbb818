/** A GIF of one pixel. All of its bytes are ASCII, so an example can hold it as text. */
export const exampleImage = "GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/** The event id of the album in the examples, made of its Idempotency-Key. */
export const exampleAlbum = "3d13dd20-5d62-8db2-a5df-88b16140b093";
