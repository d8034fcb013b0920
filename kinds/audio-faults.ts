import { z } from 'zod';
import {
  clippingFact,
  dropoutFact,
  type LoudnessFact,
  phaseInversionFact,
  type SoundFaultFact,
  silentChannelFact,
  type TruePeakFact,
  truePeakFact,
} from '../contract/evidence/evidence.ts';
import { placed, titled } from './found.ts';
import { type AnyFact, type MeteredKind, type ReopenedEvidence, stated, statedNumber } from './kind.ts';
import type { Meter, MeteredPart } from './meter.ts';
import { CHANNEL_FAULT_RULE, ChannelFaults, channelFaultsState } from './sound/channel-faults.ts';
import { CLIPPING_RULE } from './sound/clipping.ts';
import { DROPOUT_RULE } from './sound/dropouts.ts';
import { OwnRateSound, ownRateState } from './sound/own-rate-sound.ts';
import { TRUE_PEAK_RULE } from './sound/true-peak.ts';

const state = z.strictObject({ channels: channelFaultsState, ownRate: ownRateState });
type State = z.infer<typeof state>;

/** Collects the faults between channels, those at the own rate of the sound, and the highest true peak. */
class FaultMeter implements Meter<SoundFaultFact, State> {
  readonly #channels: ChannelFaults;
  readonly #ownRate: OwnRateSound;
  #peak: readonly TruePeakFact[] = [];

  constructor({ range, window }: Pick<MeteredPart, 'range' | 'window'>, from: State | null) {
    this.#channels = new ChannelFaults(range, from?.channels);
    this.#ownRate = new OwnRateSound(range, from?.ownRate, window.startMs);
  }

  signals(chunk: Buffer): void {
    this.#channels.add(chunk);
  }

  ownRate(chunk: Buffer): void {
    this.#ownRate.write(chunk);
  }

  truePeak(found: readonly TruePeakFact[]): void {
    this.#peak = found;
  }

  save(): State {
    return { channels: this.#channels.save(), ownRate: this.#ownRate.save() };
  }

  facts(): SoundFaultFact[] {
    const all = [...this.#ownRate.facts(), ...this.#channels.facts(), ...this.#peak];
    return all.sort((one, other) => one.startMs - other.startMs);
  }
}

const faultWords: Readonly<Record<SoundFaultFact['kind'], string | null>> = {
  clipping: 'stretch of clipping',
  silent_channel: 'silent channel',
  phase_inversion: 'inverted channel',
  dropout: 'dropout',
  // A measurement, which does not count as a fault.
  true_peak: null,
};

function hasItsMeasures(fact: SoundFaultFact, evidence: ReopenedEvidence<SoundFaultFact>): boolean {
  const threshold = (name: string, otherwise: number): number => statedNumber(evidence, name) ?? otherwise;
  const lengthMs = fact.endMs - fact.startMs;
  if (fact.kind === 'clipping') return fact.longestSamples >= threshold('clipping.leastSamples', 1);
  if (fact.kind === 'silent_channel') return lengthMs >= threshold('silentChannel.leastMs', 0);
  if (fact.kind === 'dropout')
    return lengthMs >= threshold('dropout.leastMs', 0) && lengthMs <= threshold('dropout.mostMs', lengthMs);
  if (fact.kind === 'true_peak')
    return fact.truePeakCentiDbtp > 100 * threshold('truePeak.mostDbtp', Number.NEGATIVE_INFINITY);
  const mostMilli = Math.round(1000 * threshold('phaseInversion.mostCorrelated', 0));
  return lengthMs >= threshold('phaseInversion.leastMs', 0) && fact.correlationMilli <= mostMilli;
}

const isLoudness = (fact: AnyFact): fact is LoudnessFact => fact.kind === 'loudness';

const channelOf = (fact: SoundFaultFact): string => ('channel' in fact ? `${fact.kind} ${fact.channel}` : fact.kind);

/** Faults of the sound. */
export const audioFaults: MeteredKind<'audio_faults', SoundFaultFact, State> = {
  name: 'audio_faults',
  title: 'faults of the sound',
  track: 'audio',
  facts: {
    clipping: {
      schema: clippingFact,
      words: ['clipping, ', { value: 'channel' }, ', ', { value: 'runs', counted: ['flat peak', 'flat peaks'] }],
      tone: 'damage',
    },
    silent_channel: {
      schema: silentChannelFact,
      words: ['the ', { value: 'channel' }, ' channel is silent'],
      tone: 'damage',
    },
    phase_inversion: {
      schema: phaseInversionFact,
      words: ['left and right cancel each other out in a mix'],
      tone: 'damage',
    },
    dropout: { schema: dropoutFact, words: ['dropout: every channel is silent for a moment'], tone: 'damage' },
    true_peak: {
      schema: truePeakFact,
      words: ['highest true peak, ', { value: 'truePeakCentiDbtp', form: 'hundredths', after: ' dBTP' }],
      tone: 'level',
    },
  },
  order: 'free',
  lane: { place: 50, about: 'pictures_and_sound', backdrop: null },
  summary: titled,
  terminal: { onlyIfFound: true },
  row: { usual: false, name: ({ kind }) => faultWords[kind] ?? 'true peak' },
  found: (facts) => {
    const faults = facts.filter(({ kind }) => faultWords[kind] !== null);
    const words = faults.map(({ kind }) => faultWords[kind] ?? kind);
    return placed(faults, words, { 'stretch of clipping': 'stretches of clipping' });
  },
  /** The faults of one sort in one channel are apart, and the fields of each make it one. */
  contradiction: (evidence) => {
    const reached = new Map<string, number>();
    for (const [at, fact] of evidence.facts.entries()) {
      const channel = channelOf(fact);
      if (fact.endMs < fact.startMs || fact.startMs < (reached.get(channel) ?? 0)) return `facts[${at}].startMs`;
      if (!hasItsMeasures(fact, evidence)) return `facts[${at}]`;
      reached.set(channel, fact.endMs);
    }
    return null;
  },
  /** A true peak is one of the faults exactly where loudness measured one that is too high. */
  contradictionInPass: (evidence, other) => {
    const most = statedNumber(evidence, 'truePeak.mostDbtp');
    if (most === null) return null;
    const measured = other('loudness')?.facts.find(isLoudness)?.truePeakCentiDbtp ?? null;
    const derived = measured !== null && measured > 100 * most ? [measured] : [];
    const found = evidence.facts.flatMap((fact) => (fact.kind === 'true_peak' ? [fact.truePeakCentiDbtp] : []));
    return found.length === derived.length && found[0] === derived[0] ? null : 'facts.true_peak';
  },
  parameters: {
    ...stated({ ...CHANNEL_FAULT_RULE, dropout: DROPOUT_RULE, clipping: CLIPPING_RULE, truePeak: TRUE_PEAK_RULE }),
    channels: 'left, right and centre',
  },
  state,
  meter: (part, from) => new FaultMeter(part, from),
};
