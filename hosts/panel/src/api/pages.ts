/** Lists that the API returns in pages. */

/** Reads pages until there are no more or `max` pages were read. `more` is the cursor of the rest. */
export async function readPages<P extends { nextCursor: string | null }>(
  read: (cursor?: string) => Promise<P>,
  max: number,
): Promise<{ pages: P[]; more: string | null }> {
  const pages: P[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await read(cursor ?? undefined);
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== null && pages.length < max);
  return { pages, more: cursor };
}
