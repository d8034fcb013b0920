import { BoundedMap } from '../../storage/bounded-map.ts';

interface RememberedPage<Page> {
  readonly page: Page;
  readonly version: number;
}

// About 500 pages of 100 events.
const rememberedBytes = 32 * 1024 * 1024;
// What a page takes in memory beside its bytes.
const entryBytes = 512;

// About 100 bytes each. A runtime that is forgotten here has its pages read again.
const rememberedVersions = 4096;

/**
 * Keeps pages of journals as the bytes of their answers until the next commit of their runtime: the events of a page never
 * change, but its answer also says where the journal and the runtime stand. Pages used longest ago make room.
 */
export class RememberedPages<Page extends { readonly bytes: Uint8Array }> {
  readonly #pages = new BoundedMap<string, RememberedPage<Page>>(
    rememberedBytes,
    ({ page }) => page.bytes.length + entryBytes,
  );
  readonly #versions = new BoundedMap<string, number>(rememberedVersions);
  #newest = 0;

  /** The page that was kept under this name, unless the runtime has committed since. */
  get(runtimeId: string, name: string): Page | undefined {
    const kept = this.#pages.get(`${runtimeId} ${name}`);
    return kept?.version === this.#version(runtimeId) ? kept.page : undefined;
  }

  /** Reads a page and keeps it where `lasts` says so. One that was read while its runtime committed is never given again. */
  async read(
    runtimeId: string,
    name: string,
    read: () => Promise<Page>,
    lasts: (page: Page) => boolean,
  ): Promise<Page> {
    const version = this.#version(runtimeId);
    const page = await read();
    if (lasts(page)) this.#pages.set(`${runtimeId} ${name}`, { page, version });
    return page;
  }

  /** Must be called after each commit of the runtime. */
  forget(runtimeId: string): void {
    this.#versions.delete(runtimeId);
  }

  /** No version is given twice. */
  #version(runtimeId: string): number {
    const known = this.#versions.get(runtimeId);
    if (known !== undefined) return known;
    this.#newest += 1;
    this.#versions.set(runtimeId, this.#newest);
    return this.#newest;
  }
}
