import test from 'ava';
import type {
  Detection,
  EvidenceArtifact,
  FurtherArtifact,
  UnavailableReason,
} from '../../../contract/evidence/evidence.ts';
import type { EvidenceKind } from '../../../kinds/kind.ts';
import { furtherInPass, kindNamed } from '../../../kinds/kinds.ts';
import { checkFactsAmongThemselves } from '../../../receipts/evidence/facts.ts';
import { statedParameters } from '../../../receipts/stages/detect.ts';
import { contentOf, storedRuntimeOf } from '../core/stored-content-in-memory.ts';
import { placeOf } from '../reopening/reopened.ts';
import { evidenceOf, furtherEvidenceOf } from './evidence-artifacts.ts';
import { type StoredPasses, type StudyShape, storedStudy } from './stored-study.ts';
import { twoTracks } from './stored-tracks.ts';

const contentId = `sha256:${'2'.repeat(64)}`;

const range = { startMs: 1000, endMs: 31_000 };
const input = { ...evidenceOf('silence').input, range };

type Stated = EvidenceArtifact['parameters'];

const detected = (
  kind: EvidenceArtifact['kind'],
  facts: readonly object[],
  parameters: Stated = {},
  samples = 480_000,
) =>
  evidenceOf(kind, {
    input: { ...input, derivedAudio: kind === 'speech_activity' ? { sampleRate: 16000, samples, contentId } : null },
    parameters,
    facts,
  });

const further = (kind: FurtherArtifact['kind'], facts: readonly object[], parameters: Stated = {}) =>
  furtherEvidenceOf(kind, { input: { ...furtherEvidenceOf(kind).input, range }, parameters, facts });

const spanOf = (startMs: number, endMs: number, more: object = {}, index = 0) => ({ index, startMs, endMs, ...more });
const window = { kind: 'speech_window', index: 0, startSample: 16_001, endSample: 32_001, startMs: 1000, endMs: 2001 };
const before = { ...window, kind: 'non_speech_window', startSample: 16_000, endSample: 16_001, endMs: 1001 };
const behind = { ...before, index: 1, startSample: 32_001, endSample: 496_000, startMs: 2000, endMs: 31_000 };
const silence = { kind: 'silence', ...spanOf(2000, 2400) };
const silent = {
  minimumMs: 300,
  absoluteGateDbfs: -70,
  belowProgrammeDb: 26,
  aboveFloorDb: 3,
  programmeDbfs: -20,
  floorDbfs: null,
  thresholdDbfs: -46,
};
const cut = { kind: 'shot_change', index: 0, atMs: 5000, scoreMilli: 9000 };
const black = { kind: 'black', ...spanOf(4000, 4200, { blackMilli: 980 }) };
const blackRule = { pictureShare: 0.98, leastMs: 200 };
const frozen = { kind: 'frozen', ...spanOf(4000, 6000, { changeMilli: 1 }) };
const frozenRule = { mostChange: 0.001, leastMs: 2000 };
const keyframe = {
  kind: 'keyframe',
  ...spanOf(1000, 5000, { atMs: 3000, width: 640, height: 360, contentId, bytes: 99 }),
};
const clipping = { kind: 'clipping', ...spanOf(2000, 2001, { channel: 'left', runs: 1, longestSamples: 3 }) };
const silentSide = { kind: 'silent_channel', ...spanOf(2000, 4000, { channel: 'left' }) };
const dropout = { kind: 'dropout', ...spanOf(2000, 2005) };
const peak = { kind: 'true_peak', ...spanOf(2000, 2100, { truePeakCentiDbtp: -99 }) };
const inverted = { kind: 'phase_inversion', ...spanOf(2000, 3000, { correlationMilli: -950 }) };
const faultRule = {
  'clipping.leastSamples': 3,
  'silentChannel.leastMs': 2000,
  'dropout.leastMs': 5,
  'dropout.mostMs': 300,
  'phaseInversion.leastMs': 1000,
  'phaseInversion.mostCorrelated': -0.95,
  'truePeak.mostDbtp': -1,
};
const shares = { pictures: 400, progressiveMilli: 3, topFirstMilli: 997, bottomFirstMilli: 0, undeterminedMilli: 0 };
const order = { kind: 'field_order', ...spanOf(1000, 31_000, { order: 'top_first', ...shares, repeatedMilli: 0 }) };
const orderRule = { clearShare: 0.9, repeatedShare: 0.3, telecinedShare: 0.2 };
const visible = { left: 0, top: 60, width: 640, height: 240, pictureWidth: 640, pictureHeight: 360 };
const letterbox = { kind: 'letterbox', ...spanOf(1000, 9000, { ...visible, agreeingMilli: 1000 }) };
const drawn = { windowMs: 20, windows: 1500, contentId, bytes: 6020 };
const waveform = { kind: 'waveform', startMs: 1000, endMs: 31_000, ...drawn };
const transition = { kind: 'transition', ...spanOf(2000, 2500, { form: 'wipe', unexplainedMilli: 9 }) };

const speech = (fact: object, samples?: number) => detected('speech_activity', [fact], {}, samples);
const silences = (facts: readonly object[], parameters: Stated = silent) => detected('silence', facts, parameters);
const cuts = (...facts: readonly object[]) => detected('shot_changes', facts);
const blacks = (...facts: readonly object[]) => further('black_frames', facts, blackRule);
const frozens = (...facts: readonly object[]) => further('frozen_frames', facts, frozenRule);
const keyframes = (...facts: readonly object[]) => further('keyframes', facts, { longestSide: 640, pieceMs: 10_000 });
const faults = (...facts: readonly object[]) => further('audio_faults', facts, faultRule);
const orders = (...facts: readonly object[]) => further('interlacing', facts, orderRule);
const bars = (...facts: readonly object[]) => further('letterbox', facts);
const waveforms = (...facts: readonly object[]) => further('waveform', facts, { windowMs: 20 });
const transitions = (...facts: readonly object[]) => further('transitions', facts);

const second = { index: 1 };

function kindOf({ kind }: { readonly kind: string }): EvidenceKind {
  const found = kindNamed(kind);
  if (found === undefined) throw new RangeError(`no kind is named ${kind}`);
  return found;
}

/** The contradiction of further evidence to one artifact of its pass; null without one. */
const againstPass = (artifact: FurtherArtifact, other: EvidenceArtifact): string | null | undefined =>
  furtherInPass
    .find(({ name }) => name === artifact.kind)
    ?.contradictionInPass?.(artifact, (kind) => (kind === other.kind ? other : null));

const forgedFacts: Readonly<Record<string, readonly [EvidenceArtifact | FurtherArtifact, string]>> = {
  'speech that begins elsewhere than its samples': [speech({ ...window, startMs: 1001 }), 'facts[0].startMs'],
  'speech that ends elsewhere than its samples': [speech({ ...window, endMs: 2000 }), 'facts[0].endMs'],
  'speech without a sample': [speech({ ...window, endSample: 16_001, endMs: 1001 }), 'facts[0].endSample'],
  'more samples than a range has': [speech(window, 480_001), 'input.derivedAudio.samples'],
  'a silence below the least length': [silences([{ ...silence, endMs: 2299 }]), 'facts[0].endMs'],
  'silences that overlap': [silences([silence, { ...silence, ...second, startMs: 2399, endMs: 2800 }]), 'facts[1]'],
  'silences that are counted backwards': [
    silences([
      { ...silence, ...second },
      { ...silence, startMs: 3000, endMs: 3400 },
    ]),
    'facts[0].index',
  ],
  'a threshold that does not follow from its levels': [
    silences([silence], { ...silent, thresholdDbfs: -40 }),
    'parameters.thresholdDbfs',
  ],
  'a cut at the end of the range': [cuts({ ...cut, atMs: 31_000 }), 'facts[0]'],
  'a cut twice': [cuts(cut, { ...cut, ...second }), 'facts[1]'],
  'black that is none': [blacks({ ...black, blackMilli: 979 }), 'facts[0].blackMilli'],
  'black of a moment': [blacks({ ...black, endMs: 4199 }), 'facts[0].endMs'],
  'frozen pictures that change': [frozens({ ...frozen, changeMilli: 2 }), 'facts[0].changeMilli'],
  'pictures frozen for a moment': [frozens({ ...frozen, endMs: 5999 }), 'facts[0].endMs'],
  'keyframes of one time': [
    keyframes(keyframe, { ...keyframe, ...second, startMs: 4999, endMs: 9000, atMs: 6000 }),
    'facts[1]',
  ],
  'a keyframe larger than any': [keyframes({ ...keyframe, height: 641 }), 'facts[0].width'],
  'a drawing of other windows': [
    waveforms({ ...waveform, windowMs: 10, windows: 3000, bytes: 12_020 }),
    'facts[0].windowMs',
  ],
  'clipping of too few samples': [faults({ ...clipping, longestSamples: 2 }), 'facts[0]'],
  'clipping in one channel twice at one time': [faults(clipping, { ...clipping, ...second }), 'facts[1].startMs'],
  'a channel that is silent for a moment': [faults({ ...silentSide, endMs: 3999 }), 'facts[0]'],
  'a dropout that is a pause': [faults({ ...dropout, endMs: 2301 }), 'facts[0]'],
  'channels that are inverted a little': [faults({ ...inverted, correlationMilli: -949 }), 'facts[0]'],
  'a true peak that is permitted': [faults({ ...peak, truePeakCentiDbtp: -100 }), 'facts[0]'],
  'shares that are no whole': [orders({ ...order, undeterminedMilli: 5 }), 'facts[0].undeterminedMilli'],
  'an order that its shares do not show': [orders({ ...order, order: 'progressive' }), 'facts[0].order'],
  'a telecine without a repeated field': [orders({ ...order, order: 'telecined' }), 'facts[0].order'],
  'one order in two parts': [
    orders({ ...order, endMs: 11_000 }, { ...order, ...second, startMs: 11_000 }),
    'facts[1].order',
  ],
  'bars outside of the picture': [bars({ ...letterbox, top: 121 }), 'facts[0].height'],
  'bars of no height': [bars({ ...letterbox, top: 0, height: 360 }), 'facts[0]'],
  'a transition of no length': [transitions({ ...transition, endMs: 2000 }), 'facts[0].endMs'],
};

for (const [title, [artifact, place]] of Object.entries(forgedFacts)) {
  test(`evidence does not hold that states ${title}`, (t) => {
    t.like(
      t.throws(() => checkFactsAmongThemselves(kindOf(artifact), artifact)),
      { link: 'evidence', place },
    );
  });
}

test('evidence holds that only comes near to a contradiction', (t) => {
  const honest = [
    ...[
      detected('speech_activity', [before, window, behind]),
      silences([silence, { ...silence, ...second, startMs: 2400, endMs: 2700 }]),
    ],
    ...[silences([silence], {}), cuts({ ...cut, atMs: 1000 }, { ...cut, ...second, atMs: 30_999 })],
    // Windows that the range cuts may be shorter.
    ...[blacks({ ...black, startMs: 1000, endMs: 1001 }), frozens({ ...frozen, startMs: 30_990, endMs: 31_000 })],
    ...[blacks(black), frozens(frozen, { ...frozen, ...second, startMs: 6000, endMs: 8000 }), keyframes(keyframe)],
    faults(clipping, { ...clipping, ...second, channel: 'right' }, silentSide, dropout, inverted, peak),
    ...[orders(order), bars(letterbox), transitions(transition), waveforms(waveform)],
    orders({ ...order, ...shares, pictures: 0, topFirstMilli: 0, progressiveMilli: 0, order: 'unknown' }),
  ];
  for (const artifact of honest)
    t.notThrows(() => checkFactsAmongThemselves(kindOf(artifact), artifact), artifact.kind);
});

test('a keyframe stands for a piece of one shot, as the cuts of its pass divide the range', (t) => {
  const spans = (...found: readonly (readonly [number, number])[]) =>
    keyframes(...found.map(([startMs, endMs], index) => ({ ...keyframe, index, startMs, endMs })));
  const shots = cuts(cut, { ...cut, ...second, atMs: 16_000 });
  const whole = spans([1000, 5000], [5000, 15_000], [16_000, 26_000], [26_000, 31_000]);
  t.is(againstPass(whole, shots), null);
  for (const forged of [
    [1000, 15_000],
    [5000, 16_000],
    [6000, 16_000],
    [26_000, 30_000],
  ] as const) {
    t.is(againstPass(spans(forged), shots), 'facts[0]');
  }
});

test('a true peak is a fault exactly if loudness measured one', (t) => {
  const loudness = (truePeakCentiDbtp: number | null) =>
    detected('loudness', [{ kind: 'loudness', startMs: 1000, endMs: 31_000, truePeakCentiDbtp }]);
  t.is(againstPass(faults(peak), loudness(-99)), null);
  for (const permitted of [-100, null]) t.is(againstPass(faults(), loudness(permitted)), null);
  const forged = [
    [faults(), loudness(-99)],
    [faults(peak), loudness(-98)],
    [faults(peak), loudness(-100)],
  ] as const;
  for (const [found, measured] of forged) {
    t.is(againstPass(found, measured), 'facts.true_peak');
  }
});

type Forgery = (passes: StoredPasses) => Partial<StoredPasses>;

const shape = { version: 1, windows: 4, tracks: twoTracks } as const satisfies StudyShape;

/** The check that exposes a forged study in which every digest, and all that follows from the forgery, is consistent. */
function foundOut(forge: Forgery, over: StudyShape = shape): Promise<string | null> {
  const study = storedStudy({ ...over, forged: (passes) => ({ ...passes, ...forge(passes) }) });
  return placeOf(storedRuntimeOf(study), contentOf(study.files));
}

const without = (detection: Detection | undefined, reasonCode: UnavailableReason, trackIndex?: number): Detection => ({
  kind: detection?.kind ?? 'silence',
  state: 'unavailable',
  reasonCode,
  ...(trackIndex === undefined ? {} : { trackIndex }),
});

const changed = (
  detection: Detection | undefined,
  change: (artifact: EvidenceArtifact) => Partial<EvidenceArtifact>,
): Detection => {
  if (detection?.state !== 'available') throw new RangeError('nothing was found');
  return { ...detection, artifact: { ...detection.artifact, ...change(detection.artifact) } };
};

type Forged = 'detect' | 'subtitles';

const list =
  (pass: Forged, change: (detections: readonly Detection[]) => readonly Detection[]): Forgery =>
  (passes) => ({ [pass]: change(passes[pass]) });

/** The detections of a pass in another order: those at these places. */
const ordered = (pass: Forged, ...places: readonly number[]): Forgery =>
  list(pass, (all) => places.flatMap((place) => all[place] ?? []));

/** One detection of a pass in another form. */
const inPlace = (pass: Forged, place: number, change: (detection: Detection | undefined) => Detection): Forgery =>
  list(pass, (all) => all.with(place, change(all[place])));

const unfound = (place: number, reasonCode: UnavailableReason): Forgery =>
  inPlace('detect', place, (detection) => without(detection, reasonCode));

/** One detection whose first fact says something else. */
const saying = (pass: Forged, place: number, change: object): Forgery =>
  inPlace(pass, place, (detection) =>
    changed(detection, ({ facts: [first, ...rest] }) => ({ facts: [{ ...first, ...change }, ...rest] as Facts })),
  );

type Facts = EvidenceArtifact['facts'];

const stating =
  (pass: Forged, parameters: Readonly<Record<string, string | number | null>>): Forgery =>
  ({ operations }) => ({
    operations: {
      ...operations,
      [pass]: { ...operations[pass], parameters: { ...operations[pass].parameters, ...parameters } },
    },
  });

const rule = { audioTrackRule: 'first track' };
const ruled: Forgery = (passes) => ({
  ...stating('detect', { 'speech_activity.audioTrackRule': rule.audioTrackRule })(passes),
  ...inPlace('detect', 0, (speech) =>
    changed(speech, ({ parameters }) => ({ parameters: { ...parameters, ...rule } })),
  )(passes),
});

const otherSamples = { sampleRate: 16000, samples: 1, contentId: `sha256:${'e'.repeat(64)}` } as const;
const withInput = (pass: Forged, place: number, change: Partial<EvidenceArtifact['input']>): Forgery =>
  inPlace(pass, place, (found) => changed(found, ({ input }) => ({ input: { ...input, ...change } })));

/** Findings in an operation or in a piece of evidence, and their places. */
const forgedPasses: Readonly<Record<'media_operation' | 'evidence', Readonly<Record<string, [Forgery, string]>>>> = {
  media_operation: {
    'a pass without a kind': [ordered('detect', 0, 1, 2), 'receipt.evidence[3]'],
    'a pass with a kind twice': [ordered('detect', 0, 1, 2, 3, 1), 'receipt.evidence[4]'],
    'kinds in another order': [ordered('detect', 0, 2, 1, 3), 'receipt.evidence[1].kind'],
    'sound that is said to have no track': [unfound(1, 'no_audio_track'), 'receipt.evidence[1].reasonCode'],
    'silences that are said to be in no range, beside speech that is': [
      unfound(1, 'no_audio_in_range'),
      'receipt.evidence[1].state',
    ],
    'a reason of another kind': [unfound(3, 'recognition_failed'), 'receipt.evidence[3].reasonCode'],
    'pictures that are said to have no track': [unfound(3, 'no_video_track'), 'receipt.evidence[3].reasonCode'],
    'a track that was not listened to': [stating('detect', { audioTrackIndex: 3 }), 'parameters.audioTrackIndex'],
    'a rule for a track that had no other': [ruled, 'parameters.speech_activity.audioTrackRule'],
    'further evidence that was measured and is gone': [stating('detect', { 'waveform.windowMs': 20 }), 'further[0]'],
    'further evidence that is gone with all that was stated of it': [
      stating('detect', { 'shot_changes.rule': 'the change of small pictures' }),
      'further[0]',
    ],
    'a text track that is gone': [ordered('subtitles', 0, 2), 'tracks[1]'],
    'no text at all': [
      list('subtitles', ([first, , language]) =>
        [first, language].map((each) => without(each, 'no_text_subtitle_track')),
      ),
      'tracks[0]',
    ],
    'a text track that is said not to be read, whose codec is': [
      list('subtitles', (all) =>
        all.map((each, place) => (place % 2 === 0 ? without(each, 'subtitle_format_unsupported', 2) : each)),
      ),
      'receipt.evidence[0].reasonCode',
    ],
    'text tracks in another order': [ordered('subtitles', 1, 0, 3, 2), 'tracks[0]'],
    'cues of another track than their language': [ordered('subtitles', 0, 1, 3, 2), 'receipt.evidence[2]'],
    'a list of tracks that its source does not have': [
      stating('subtitles', { tracks: '2:mov_text:ko' }),
      'parameters.tracks',
    ],
  },
  evidence: {
    'silence over other samples': [withInput('detect', 1, { derivedAudio: otherSamples }), 'input.derivedAudio'],
    'facts that are not counted': [saying('detect', 1, { index: 1 }), 'facts[0].index'],
    'loudness of a part': [saying('detect', 2, { endMs: 1000 }), 'facts[0].endMs'],
    'loudness twice': [
      inPlace('detect', 2, (loudness) => changed(loudness, ({ facts }) => ({ facts: [...facts, ...facts] }))),
      'facts',
    ],
    'a language of another track': [saying('subtitles', 2, { trackIndex: 4 }), 'facts[0].trackIndex'],
    'a language that its container does not state': [
      saying('subtitles', 2, { taggedLanguage: 'fr' }),
      'facts[0].taggedLanguage',
    ],
    'a language that no method found': [saying('subtitles', 2, { method: 'none' }), 'facts[0].method'],
    'languages of cues that are not there': [saying('subtitles', 2, { cueCodes: ['ko'] }), 'facts[0].cueCodes'],
    'cues in a track of sound': [withInput('subtitles', 0, { trackIndex: 1 }), 'input.trackIndex'],
  },
};

for (const [link, forgeries] of Object.entries(forgedPasses)) {
  for (const [title, [forge, place]] of Object.entries(forgeries)) {
    test(`a forger is found out by ${title}`, async (t) => {
      t.is(await foundOut(forge), `${link}: ${place}`);
    });
  }
}

test('what no forger touched holds, with sound and without', async (t) => {
  t.is(await foundOut(() => ({})), null);
  t.is(await foundOut(() => ({}), { ...shape, windows: null }), null);
});

const evidence = (kind: EvidenceArtifact['kind'], parameters: Stated) => evidenceOf(kind, { parameters });

test('a value that a pass measured on the way is not a parameter of its operation', (t) => {
  const measured = { programmeDbfs: -20, floorDbfs: null, thresholdDbfs: -46 };
  t.deepEqual(statedParameters(evidence('silence', { minimumMs: 300, ...measured })), { minimumMs: 300 });
  const apart = { channelsApart: 'left', channelsApartMs: 1024 };
  const dropped = { unconfirmedWindows: 1, unconfirmedWindowsMs: '0-300' };
  t.deepEqual(statedParameters(evidence('speech_activity', { padMs: 30, ...apart, ...dropped })), { padMs: 30 });
});

test('of any other kind, and of evidence of earlier versions, every parameter was stated', (t) => {
  t.deepEqual(statedParameters(evidence('loudness', { thresholdDbfs: -1 })), { thresholdDbfs: -1 });
  const fixed = { thresholdDb: -40, minimumMs: 300, channels: 'all' };
  t.deepEqual(statedParameters(evidence('silence', fixed)), fixed);
});
