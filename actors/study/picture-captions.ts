import { LRUCache } from 'lru-cache';
import type { Range } from '../../contract/base/grammar.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { hasCaptionsInPicture, mayHoldCaptions } from '../../executors/evidence/captions-in-picture.ts';
import type { Launcher } from '../../executors/process/process.ts';
import type { ResolvedTool } from '../../executors/process/tools.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { intactPathOf, mediaOf } from '../sources/source-files.ts';

/** How much of a range is searched while a person waits for the answer; the study searches more. */
const searchedMs = 120_000;
/** The answers that are kept. */
const keptAnswers = 256;

interface PictureCaptionsOptions {
  readonly objectStore: ObjectStore;
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
}

interface Search {
  readonly source: RegisteredSource;
  readonly picture: RegisteredSource['tracks'][number];
  readonly range: Range;
}

/** Looks for closed captions in the pictures of films before their studies, once for each film and range. */
export class PictureCaptions {
  readonly #options: PictureCaptionsOptions;
  readonly #known = new LRUCache<string, boolean, Search>({
    max: keptAnswers,
    ignoreFetchAbort: true,
    fetchMethod: (_key, _known, { context }) => this.#search(context),
  });

  constructor(options: PictureCaptionsOptions) {
    this.#options = options;
  }

  /** True if the beginning of a range holds captions. False if it does not, or if the film cannot be read now. */
  in(source: RegisteredSource, range: Range): Promise<boolean> {
    const picture = source.tracks.find(({ kind }) => kind === 'video');
    if (picture === undefined || !mayHoldCaptions(picture)) return Promise.resolve(false);
    const key = `${source.session.source.contentId} ${range.startMs} ${range.endMs}`;
    return this.#known.forceFetch(key, { context: { source, picture, range } }).catch(() => false);
  }

  async #search({ source, picture, range }: Search): Promise<boolean> {
    const { objectStore, launcher, ffmpeg } = this.#options;
    const path = await intactPathOf(objectStore, mediaOf(source));
    const searched = { startMs: range.startMs, endMs: Math.min(range.endMs, range.startMs + searchedMs) };
    const { signal } = new AbortController();
    return hasCaptionsInPicture({ launcher, ffmpeg }, { path, picture, range: searched, signal });
  }
}
