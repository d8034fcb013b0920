import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { fileDigestOf, fileStatesOf } from '../../executors/process/tools.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';

const digests = { space: 'record', key: 'host/digests' } as const;

/** The digest of a file in one state: device, inode, size, mtime and ctime. */
const knownDigest = z.strictObject({ path: z.string(), state: z.string(), digest: z.string() });
type KnownDigest = z.infer<typeof knownDigest>;

const digestsRow = z.strictObject({ digests: z.array(knownDigest) });

/** More files than the models of the recognizers have that a person tries in turn. Those of one folder are about ten. */
const mostDigests = 100;

/** Keeps the digests of programs and models across hosts: a model has gigabytes, and is read only once while it does not change. */
export class RememberedDigests {
  readonly #ledger: Pick<Ledger, 'get' | 'commit'>;
  readonly #digestOf: (file: string) => Promise<string>;
  #known: readonly KnownDigest[];
  #stored: readonly KnownDigest[];

  /** `digestOf` reads a file. */
  constructor(ledger: Pick<Ledger, 'get' | 'commit'>, digestOf = fileDigestOf) {
    this.#ledger = ledger;
    this.#digestOf = digestOf;
    this.#stored = storedDigests(ledger);
    this.#known = this.#stored;
  }

  /** The SHA-256 of a file, as `fileDigestOf`, which reads it only in a state that is not known. */
  readonly of = async (file: string): Promise<string> => {
    const before = await stateOf(file);
    const known = this.#known.find(({ path, state }) => path === file && state === before);
    if (known !== undefined) return known.digest;
    const digest = await this.#digestOf(file);
    // A file that changed while it was read may have the digest of neither state.
    if ((await stateOf(file)) === before) {
      const others = this.#known.filter(({ path }) => path !== file);
      this.#known = [...others, { path: file, state: before, digest }].slice(-mostDigests);
    }
    return digest;
  };

  /** Stores what was found since. What cannot be stored is read again by the next host. */
  async keep(): Promise<void> {
    const found = this.#known;
    if (isDeepStrictEqual(found, this.#stored)) return;
    this.#stored = found;
    await this.#ledger
      .commit([{ put: digests.space, key: digests.key, value: { digests: found } }])
      .catch(() => undefined);
  }
}

async function stateOf(file: string): Promise<string> {
  const [found] = await fileStatesOf([file]);
  return found?.state ?? 'none';
}

/** A row that cannot be read costs the time to read the files. */
function storedDigests(ledger: Pick<Ledger, 'get'>): readonly KnownDigest[] {
  try {
    return digestsRow.parse(ledger.get(digests.space, digests.key)).digests;
  } catch {
    return [];
  }
}
