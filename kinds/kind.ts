import type { z } from 'zod';
import type { Range } from '../contract/base/grammar.ts';
import type { EvidenceArtifact } from '../contract/evidence/evidence.ts';
import type { DescribedKind, MarkTone, WordPart } from '../contract/evidence/evidence-kinds.ts';
import type { Finding } from '../contract/overview.ts';
import type { Found } from './found.ts';
import type { Branch, Meter, MeteredPart } from './meter.ts';
import type { PictureTimes } from './pictures/picture-times.ts';
import type { SoundResult } from './sound/sound-result.ts';

/** Thresholds and choices by their names, as an operation and its evidence state them. */
export type KindParameters = EvidenceArtifact['parameters'];

/** A fact of any kind. */
export interface AnyFact {
  readonly kind: string;
}

/** Evidence that was reopened, as far as its facts are checked. */
export interface ReopenedEvidence<Fact> {
  readonly input: {
    readonly range: Range;
    readonly derivedAudio?: { readonly samples: number } | null;
  };
  readonly parameters: KindParameters;
  readonly facts: readonly Fact[];
}

/** A sort of facts: their form in a record, and how the page words and draws them. */
export interface FactDeclaration {
  readonly schema: z.ZodObject;
  readonly words: readonly WordPart[];
  readonly tone: MarkTone;
}

/**
 * How the facts of one artifact lie in its range. `successive`: counted in the order of time, and none overlaps another. `gapless`:
 * the same, and they cover the range. `whole`: one fact from the start of the range. `free`: none of these.
 */
export type FactOrder = 'free' | 'successive' | 'gapless' | 'whole';

/** A kind of evidence: everything that the program has to know of it by name. */
export interface EvidenceKind<Name extends string = string, Fact extends AnyFact = AnyFact> {
  readonly name: Name;
  /** The measured thing, in words. */
  readonly title: string;
  /** The tracks that it is measured in; null if it came with the source. */
  readonly track: 'audio' | 'video' | 'subtitle' | null;
  /** Its sorts of facts, by their names. */
  readonly facts: Readonly<Record<Fact['kind'], FactDeclaration>>;
  readonly order: FactOrder;
  /** The parameters that only a measurement can state: the facts depend on them, and no operation has them before it ran. */
  readonly measured?: readonly string[];
  /** Its place on a page; the lower the earlier. */
  readonly lane: { readonly place: number } & Pick<DescribedKind, 'about' | 'backdrop'>;
  /** Its sentence in the summary of the page; null if that leaves it out. */
  readonly summary: { readonly words: readonly WordPart[]; readonly unless?: { value: string; is: string } } | null;
  /** Its line in the summary of the terminal. Without it: title and text. */
  readonly terminal?: {
    /** No line says that nothing was found. */
    readonly onlyIfFound?: boolean;
    /** The words for a person who makes films; null for the usual ones. */
    words?(finding: Finding): string | null;
  };
  /** Facts in words, numbers and places. `range` is what they were looked for in. */
  found(facts: readonly Fact[], range: Range): Found;
  /**
   * The first place of facts that contradict each other, their own fields or their parameters; null if none does. What was measured
   * cannot be derived again.
   */
  contradiction?(evidence: ReopenedEvidence<Fact>): string | null;
  /** The same against evidence of other kinds of the same pass. */
  contradictionInPass?(
    evidence: ReopenedEvidence<Fact>,
    other: (kind: string) => ReopenedEvidence<AnyFact> | null,
  ): string | null;
  /** The row of a fact in tables and label tracks. `usual`: also without a request for a kind. */
  readonly row: { readonly usual: boolean; name(fact: Fact): string | null };
}

/** A kind that a pass measures: with its rule, and with what it measures by. */
interface PassKindBase<Name extends string, Fact extends AnyFact> extends EvidenceKind<Name, Fact> {
  readonly track: 'audio' | 'video';
  /** Its rule; the pass adds what holds for all kinds of the track. */
  readonly parameters: KindParameters;
}

/** A kind that the host measures while a film is decoded. */
export interface MeteredKind<Name extends string = string, Fact extends AnyFact = AnyFact, State = unknown>
  extends PassKindBase<Name, Fact> {
  /** The form of what is kept between two windows of a pass. */
  readonly state: z.ZodType<State>;
  /** Its own part of the filter graph, if it has one. */
  readonly branch?: Branch<State>;
  meter(part: MeteredPart, from: State | null): Meter<Fact, State>;
}

/** A kind that the detector process measures in the sound of a pass. */
export interface DetectorKind<Name extends string = string, Fact extends AnyFact = AnyFact>
  extends PassKindBase<Name, Fact> {
  /** True if a model estimates it in samples, which its evidence then names. */
  readonly isEstimated: boolean;
  ofSound(sound: SoundResult, range: Range): { readonly facts: readonly Fact[]; readonly measured: KindParameters };
}

/** A kind that follows from the times of the pictures, as their container has them. */
export interface TimedKind<Name extends string = string, Fact extends AnyFact = AnyFact>
  extends PassKindBase<Name, Fact> {
  readonly track: 'video';
  ofTimes(times: PictureTimes, range: Range): readonly Fact[];
}

export type PassKind = MeteredKind | DetectorKind | TimedKind;

/** A rule as flat parameters: those of a group have its name as prefix, a list is one text. */
export function stated(rule: Readonly<Record<string, unknown>>, prefix = ''): Record<string, string | number> {
  const flat = Object.entries(rule).map(([name, value]): Record<string, string | number> => {
    if (Array.isArray(value)) return { [prefix + name]: value.join(', ') };
    if (typeof value === 'number') return { [prefix + name]: value };
    return stated({ ...(value as object) }, `${prefix}${name}.`);
  });
  return Object.assign({}, ...flat);
}

/** A threshold that evidence states among its parameters; null where its version stated none. */
export function statedNumber(
  { parameters }: Pick<ReopenedEvidence<unknown>, 'parameters'>,
  name: string,
): number | null {
  const value = parameters[name];
  return typeof value === 'number' ? value : null;
}

/**
 * The first fact whose grade contradicts its measure and the bounds that its evidence states; null for none. Evidence of versions
 * without grades states no bounds.
 */
export function gradeContradiction<Fact extends { readonly grade?: 'uncertain' | undefined }>(
  evidence: Pick<ReopenedEvidence<Fact>, 'parameters' | 'facts'>,
  isUncertain: (fact: Fact, bound: (name: string) => number | null) => boolean,
): string | null {
  const bound = (name: string): number | null => statedNumber(evidence, name);
  const at = evidence.facts.findIndex((fact) => isUncertain(fact, bound) !== (fact.grade === 'uncertain'));
  return at === -1 ? null : `facts[${at}].grade`;
}

/** A share in thousandths; null for none. */
export const milliOf = (share: number | null): number | null => (share === null ? null : Math.round(1000 * share));
