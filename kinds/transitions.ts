import { z } from 'zod';
import type { Range } from '../contract/base/grammar.ts';
import {
  type FlashFact,
  flashFact,
  type StrobeFact,
  strobeFact,
  type TransitionFact,
  transitionFact,
} from '../contract/evidence/evidence.ts';
import { type Found, placed, titled, uncertainOf } from './found.ts';
import { gradeContradiction, type MeteredKind, stated } from './kind.ts';
import type { Meter, MeteredPart } from './meter.ts';
import type { PictureArea } from './pictures/picture-area.ts';
import { clippedTo } from './pictures/picture-runs.ts';
import { VIEW_RULE } from './pictures/same-view.ts';
import type { SmallPicture } from './pictures/small-picture.ts';
import {
  type FoundTransition,
  foundTransition,
  TRANSITION_RULE,
  TransitionFinder,
  transitionFinderState,
} from './pictures/transition-finder.ts';

/** Flashes that follow each other faster are one strobe, if there are enough; halves of a fade that meet are one fade. */
const GROUPING = { strobeGapMs: 500, strobeFlashes: 3, fadeGapMs: 1000 } as const;

/** A transition whose form leaves more of the change unexplained, in thousandths, is uncertain. */
const GRADE = { uncertainAboveMilli: 200 } as const;

const isUncertain = (unexplainedMilli: number, above: number | null): boolean =>
  above !== null && unexplainedMilli > above;

const state = z.strictObject({
  flashes: z.array(z.strictObject({ startMs: z.number(), endMs: z.number() })),
  found: z.array(foundTransition),
  changes: transitionFinderState,
});
type State = z.infer<typeof state>;

type Fact = TransitionFact | FlashFact | StrobeFact;

/** Looks for gradual transitions between the cuts, and groups the flashes, which are not cuts. */
class TransitionMeter implements Meter<Fact, State> {
  readonly #range: Range;
  readonly #flashes: Range[];
  readonly #found: FoundTransition[];
  readonly #changes: TransitionFinder;

  constructor({ range }: Pick<MeteredPart, 'range'>, from: State | null) {
    this.#range = range;
    this.#flashes = from?.flashes ?? [];
    this.#found = from?.found ?? [];
    this.#changes = new TransitionFinder((found) => this.#add(found), from?.changes);
  }

  picture(picture: SmallPicture): void {
    this.#changes.add(picture);
  }

  area(area: PictureArea): void {
    this.#changes.within(area);
  }

  cut(atMs: number): void {
    this.#changes.cut(atMs);
  }

  flash(span: Range): void {
    this.#flashes.push(span);
  }

  save(): State {
    return { flashes: this.#flashes, found: this.#found, changes: this.#changes.save() };
  }

  end(): void {
    this.#changes.end();
  }

  facts(): Fact[] {
    const gradual = clippedTo(this.#found, this.#range).map(({ form, unexplained, ...span }, index): TransitionFact => {
      const unexplainedMilli = Math.round(unexplained * 1000);
      const grade = isUncertain(unexplainedMilli, GRADE.uncertainAboveMilli) ? { grade: 'uncertain' as const } : {};
      return { kind: 'transition', index, ...span, form, unexplainedMilli, ...grade };
    });
    const groups = grouped(clippedTo(this.#flashes, this.#range));
    const strobes = groups.filter((group) => group.length >= GROUPING.strobeFlashes);
    const lone = groups.filter((group) => group.length < GROUPING.strobeFlashes).flat();
    return [
      ...gradual,
      ...lone.map((span, index): FlashFact => ({ kind: 'flash', index, ...span })),
      ...strobes.map(
        (group, index): StrobeFact => ({ kind: 'strobe', index, ...hullOf(group), flashes: group.length }),
      ),
    ].sort((one, other) => one.startMs - other.startMs);
  }

  #add(found: FoundTransition): void {
    const last = this.#found.at(-1);
    const isHalf = last?.form === 'fade' && found.form === 'fade' && found.startMs - last.endMs < GROUPING.fadeGapMs;
    if (last === undefined || !isHalf) this.#found.push(found);
    else {
      const unexplained = Math.max(last.unexplained, found.unexplained);
      this.#found.splice(-1, 1, { ...last, endMs: found.endMs, unexplained });
    }
  }
}

/** Flashes by what is near to each other. */
function grouped(flashes: readonly Range[]): Range[][] {
  const groups: Range[][] = [];
  for (const { startMs, endMs } of flashes) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    // The way back from one flash to the next does not count.
    if (startMs === last?.endMs) continue;
    if (group === undefined || last === undefined || startMs - last.endMs > GROUPING.strobeGapMs)
      groups.push([{ startMs, endMs }]);
    else group.push({ startMs, endMs });
  }
  return groups;
}

const hullOf = (group: readonly Range[]): Range => ({
  startMs: Math.min(...group.map(({ startMs }) => startMs)),
  endMs: Math.max(...group.map(({ endMs }) => endMs)),
});

const gradeOf = (fact: Fact): { readonly grade?: 'uncertain' | undefined } =>
  fact.kind === 'transition' ? { grade: fact.grade } : {};

function nameOf(fact: Fact): string {
  if (fact.kind !== 'transition') return fact.kind;
  return fact.grade === undefined ? fact.form : `${fact.form} ${fact.grade}`;
}

/** Forms by their names, and behind them how many are uncertain. */
function foundOf(facts: readonly Fact[]): Found {
  const words = facts.map((fact) => (fact.kind === 'transition' ? fact.form : fact.kind));
  const found = placed(facts, words, { flash: 'flashes' });
  const uncertain = uncertainOf(facts.map(gradeOf));
  return { ...found, brief: `${found.brief}${uncertain}`, text: `${found.text}${uncertain}` };
}

/** Shots that go over into the next, and light that comes and goes. */
export const transitions: MeteredKind<'transitions', Fact, State> = {
  name: 'transitions',
  title: 'transitions',
  track: 'video',
  facts: {
    transition: {
      schema: transitionFact,
      words: [{ value: 'form' }, { value: 'grade', before: ', ' }],
      tone: 'change',
    },
    flash: { schema: flashFact, words: ['flash'], tone: 'flash' },
    strobe: { schema: strobeFact, words: ['strobe, ', { value: 'flashes' }, ' flashes'], tone: 'flash' },
  },
  order: 'free',
  lane: { place: 80, about: 'pictures_and_sound', backdrop: null },
  summary: titled,
  terminal: { onlyIfFound: true },
  row: { usual: false, name: nameOf },
  found: foundOf,
  contradiction: ({ facts, parameters }) => {
    const empty = facts.findIndex(({ startMs, endMs }) => endMs <= startMs);
    if (empty !== -1) return `facts[${empty}].endMs`;
    const graded = facts.map((fact) => ({
      unexplainedMilli: fact.kind === 'transition' ? fact.unexplainedMilli : 0,
      ...gradeOf(fact),
    }));
    return gradeContradiction({ facts: graded, parameters }, ({ unexplainedMilli }, bound) =>
      isUncertain(unexplainedMilli, bound('uncertainAboveMilli')),
    );
  },
  parameters: {
    ...stated(TRANSITION_RULE),
    ...stated(VIEW_RULE, 'view.'),
    ...GROUPING,
    ...GRADE,
    area: 'within black bars, as cuts are looked for',
  },
  state,
  meter: (part, from) => new TransitionMeter(part, from),
};
