import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { copyAsLeft } from '../host/host-in-process.ts';

/** True to try every point, which takes many minutes; else only those at which something new is on disk. */
export const isSoak = process.env.MEDIA_STUDY_TEST_SOAK === '1';

/** True if a host dies at a point. Deaths while files are read, staged or renamed belong to the tests of the object store. */
export const isDeadly = (point: string): boolean =>
  (isSoak ? /^(commit:|object-store:put)/ : /^commit:after/).test(point);

/** A data root as a death at one point of a life would have left it. */
export interface Left<Known> {
  readonly point: string;
  readonly root: string;
  /** The knowledge of the client of that life at this point. */
  readonly known: Known;
}

/** Copies the data root of a life at its points: one life leaves what many deaths would leave. */
export class CopiedLife<Known> {
  readonly passed: string[] = [];
  readonly left: Left<Known>[] = [];
  readonly #copies: string;
  readonly #root: string;
  readonly #isWanted: (point: string) => boolean;
  readonly #known: () => Known;

  /** `isWanted` chooses the points at which `root` is copied into the folder `copies`. */
  constructor(options: { root: string; copies: string; isWanted: (point: string) => boolean; known: () => Known }) {
    this.#root = options.root;
    this.#copies = options.copies;
    this.#isWanted = options.isWanted;
    this.#known = options.known;
  }

  /** The hook of the host that lives this life. */
  readonly point = (name: string): void => {
    this.passed.push(name);
    if (!this.#isWanted(name)) return;
    const root = join(this.#copies, `${this.passed.length}`);
    copyAsLeft(this.#root, root);
    this.left.push({ point: `${this.passed.length} ${name}`, root, known: this.#known() });
  };
}

interface LifeFolder {
  readonly folder: string;
  /** The data root of the life; its copies are beside it. */
  readonly root: string;
}

/** One life that several tests look at: the first of them that asks has it lived. */
export class SharedLife<Lived> {
  readonly #live: (t: ExecutionContext, place: LifeFolder) => Promise<Lived>;
  #folder = '';
  #lived: Promise<Lived> | undefined;

  constructor(live: (t: ExecutionContext, place: LifeFolder) => Promise<Lived>) {
    this.#live = live;
  }

  of(t: ExecutionContext): Promise<Lived> {
    this.#lived ??= this.#begin(t);
    return this.#lived;
  }

  /** Removes its folder, after all tests. */
  readonly remove = (): Promise<void> => rm(this.#folder, { recursive: true, force: true });

  async #begin(t: ExecutionContext): Promise<Lived> {
    this.#folder = await realpath(await mkdtemp(join(tmpdir(), 'crash-test-')));
    const root = join(this.#folder, 'way');
    await mkdir(root, { mode: 0o700 });
    return this.#live(t, { folder: this.#folder, root });
  }
}

/** An empty folder for one test. */
export async function emptyRoot(t: ExecutionContext): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'crash-test-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  return root;
}

/** Works at everything in a list, at two things at a time. */
export async function inTwoLanes<Work>(all: readonly Work[], work: (one: Work) => Promise<unknown>): Promise<void> {
  const open = [...all];
  const lane = async (): Promise<void> => {
    for (let one = open.shift(); one !== undefined; one = open.shift()) await work(one);
  };
  await Promise.all([lane(), lane()]);
}
