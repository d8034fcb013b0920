import { join } from 'node:path';
import { copyAsLeft } from '../host/host-in-process.ts';

/** A data root as a death at one point of a life would have left it. */
export interface Left<Known> {
  readonly point: string;
  readonly root: string;
  /** What the client of that life knew then. */
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

/** Works at everything in a list, at two things at a time. */
export async function inTwoLanes<Work>(all: readonly Work[], work: (one: Work) => Promise<unknown>): Promise<void> {
  const open = [...all];
  const lane = async (): Promise<void> => {
    for (let one = open.shift(); one !== undefined; one = open.shift()) await work(one);
  };
  await Promise.all([lane(), lane()]);
}
