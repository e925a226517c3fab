export type PageInfo = { hasNextPage: boolean; endCursor: string | null };

export const findNext = (pageInfo: PageInfo | undefined): string | undefined =>
  pageInfo?.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;

/** Reads all pages, one after the other. */
export async function* readPages<Page extends { next?: string | undefined }>(
  read: (after: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  let after: string | undefined;
  do {
    const page = await read(after);
    yield page;
    after = page.next;
  } while (after);
}
