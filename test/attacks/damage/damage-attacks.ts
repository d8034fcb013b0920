import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { verifyRuntime } from '../../../actors/reopening/verify-runtime.ts';
import { tombstoneCheck } from '../../../actors/supervision/deletion-rows.ts';
import { EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import { checkLedger } from '../../../storage/ledger/accept-loss.ts';
import { damagedRowsOf } from '../../../storage/ledger/examine-rows.ts';
import { damagedObjectsOf } from '../../../storage/ledger/examine-store.ts';
import { LedgerError } from '../../../storage/ledger/ledger.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';
import { openStore } from '../../actors/reopening/stored-studies.ts';
import { LifeSurroundings, type Step } from '../../crash/full-life.ts';
import { seededNumbers } from '../../storage/ledger/scratch.ts';
import { type Damage, damagesOf } from './damages.ts';
import { judged, type Seen, type Verdict } from './judge.ts';
import { Answers, copyOf, pathsOf, type StoredLife, storedLife } from './stored-life.ts';

/** How a start of a host may refuse a damaged data root. */
const refusals = ['ledger_damaged', 'store_unreadable', 'store_format_unsupported', 'data_root_unrecognized'];

/** The findings of a verification of an unused data root, in words; empty for an intact one. */
async function foundBy(root: string, runtimeIds: readonly string[]): Promise<string[]> {
  try {
    const { faults } = await checkLedger(root);
    if (faults.length > 0) return [...faults];
    const found = [...(await damagedRowsOf(join(root, 'ledger'), tombstoneCheck)), ...(await damagedObjectsOf(root))];
    const store = await openStore(root);
    try {
      for (const runtimeId of runtimeIds) {
        const fault = await verifyRuntime(store, runtimeId, () => undefined).then(
          () => null,
          (error: unknown) => {
            if (error instanceof EvidenceChainError) return `${runtimeId} ${error.link}: ${error.place}`;
            throw error;
          },
        );
        if (fault !== null) found.push(fault);
      }
    } finally {
      await store.close();
    }
    return found;
  } catch (error) {
    if (error instanceof LedgerError || error instanceof ObjectStoreError) return [error.message];
    throw error;
  }
}

/** A data root to be damaged, and what a host answers of it while it is whole. */
interface Target {
  readonly around: LifeSurroundings;
  readonly life: StoredLife;
  readonly damages: readonly Damage[];
  readonly paths: readonly string[];
  readonly before: ReadonlyMap<string, string>;
  readonly runtimeIds: readonly string[];
}

/** Damages copies of one data root, one at a time, and looks at all that a verification and a host then say. */
export class DamageAttacks {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'damage-test-')));
  readonly #without: readonly Step[];
  readonly #below = seededNumbers(Number(process.env.MEDIA_STUDY_TEST_SEED ?? 20_261_122));
  #target: Promise<Target> | undefined;
  #copies = 0;

  /** `without` leaves steps out of the life that fills the data root. */
  constructor(without: readonly Step[]) {
    this.#without = without;
  }

  /** Removes all data roots, after all tests. */
  readonly close = async (): Promise<void> => {
    await (await this.#target)?.around.close();
    rmSync(this.#folder, { recursive: true, force: true });
  };

  /** Tries `count` damages that a seed chooses. */
  async atRandom(t: ExecutionContext, count: number): Promise<void> {
    t.timeout(7_200_000, 'a host for each damage');
    const target = await this.#opened(t);
    const { damages } = target;
    const counts = new Map<string, number>();
    const complaints: string[] = [];
    let tried = 0;
    for (const damage of inTurn(damages, this.#below)) {
      if (tried === count) break;
      const verdict = await this.#attack(t, target, damage);
      if (verdict === null) continue;
      tried += 1;
      complaints.push(...verdict.complaints);
      counts.set(verdict.outcome, (counts.get(verdict.outcome) ?? 0) + 1);
      // A long run tells at once what it finds.
      for (const complaint of verdict.complaints) process.stderr.write(`${complaint}\n`);
      if (tried % 200 === 0) process.stderr.write(`${tried} damages, ${complaints.length} complaints\n`);
    }
    const kinds = new Set(damages.map(({ kind }) => kind)).size;
    t.log(`${tried} damages of things of ${kinds} kinds; ${complaints.length} complaints`);
    t.log([...counts].map(([outcome, times]) => `${outcome}: ${times}`).join(', '));
    t.deepEqual(complaints, []);
  }

  /** Tries every damage of some things. */
  async every(t: ExecutionContext, isMeant: (damage: Damage) => boolean): Promise<void> {
    const target = await this.#opened(t);
    const meant = target.damages.filter(isMeant);
    t.true(meant.length > 0);
    for (const damage of meant) {
      const verdict = await this.#attack(t, target, damage);
      t.deepEqual(verdict?.complaints ?? [], []);
      t.not(verdict?.outcome, 'unnamed');
    }
  }

  #opened(t: ExecutionContext): Promise<Target> {
    this.#target ??= this.#open(t);
    return this.#target;
  }

  async #open(t: ExecutionContext): Promise<Target> {
    const around = await LifeSurroundings.open();
    const life = await storedLife(t, around, join(this.#folder, 'life'), this.#without);
    const damages = await damagesOf(life.root);
    const whole = join(this.#folder, 'whole');
    copyOf(life.root, whole);
    const host = await around.openHost(t, whole);
    const paths = await pathsOf(host, life.known);
    const before = await new Answers(host).of(paths);
    await host.stop();
    const { runtimeId, upload } = life.known;
    const runtimeIds = [runtimeId, upload.runtime?.runtimeId].filter((id) => typeof id === 'string');
    t.deepEqual(await foundBy(whole, runtimeIds), [], 'a whole data root has no fault');
    return { around, life, damages, paths, before, runtimeIds };
  }

  /** Null if the damage left the bytes unchanged. */
  async #attack(t: ExecutionContext, target: Target, damage: Damage): Promise<Verdict | null> {
    const { life, paths, before, runtimeIds } = target;
    this.#copies += 1;
    const root = join(this.#folder, `copy-${this.#copies}`);
    copyOf(life.root, root);
    try {
      if (!(await damage.apply(root, this.#below))) return null;
      const found = await foundBy(root, runtimeIds);
      const { refused, answers } = await answersOn(t, target, root, paths);
      const { outcome, complaints } = judged(damage, { found, refused, answers, before });
      const unknown = refused === null || refusals.includes(refused) ? [] : [`a start refuses it with ${refused}`];
      return {
        outcome,
        complaints: [...unknown, ...complaints].map((complaint) => `${damageText(damage)}: ${complaint}`),
      };
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
}

/** Everything that a host answers on a data root, or how its start refused it. */
async function answersOn(
  t: ExecutionContext,
  { around }: Target,
  root: string,
  paths: readonly string[],
): Promise<Pick<Seen, 'refused' | 'answers'>> {
  try {
    const host = await around.openHost(t, root);
    const answers = await new Answers(host).of(paths);
    await host.stop();
    return { refused: null, answers };
  } catch (error) {
    if (!(error instanceof LedgerError) && !(error instanceof ObjectStoreError)) throw error;
    return { refused: error.code, answers: new Map() };
  }
}

const damageText = ({ kind, name, how }: Damage): string => `${kind} ${name} ${how}`;

/** The damages at random, of each kind and way as evenly as there are; then the flips and cuts again, at other places. */
function* inTurn(damages: readonly Damage[], below: (limit: number) => number): Generator<Damage> {
  const groups = new Map<string, Damage[]>();
  for (const damage of damages) {
    const name = `${damage.kind} ${damage.how}`;
    groups.set(name, [...(groups.get(name) ?? []), damage]);
  }
  for (let open = [...groups.values()]; open.length > 0; open = open.filter((group) => group.length > 0)) {
    const group = open[below(open.length)] ?? [];
    yield* group.splice(below(group.length), 1);
  }
  const again = damages.filter(({ how }) => how === 'flipped' || how === 'cut');
  while (again.length > 0) yield* again.slice(below(again.length)).slice(0, 1);
}
