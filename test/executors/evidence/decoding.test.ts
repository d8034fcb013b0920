import test from 'ava';
import type { Detection } from '../../../contract/evidence/evidence.ts';
import { type DecodedPart, decodeArguments, seekPoints } from '../../../executors/evidence/decode-graph.ts';
import { windowEnds } from '../../../executors/evidence/detect.ts';
import { detectionsOver, identityOver } from '../../../executors/evidence/detection-identity.ts';

const base: DecodedPart = {
  path: '/films/-i odd name%d.mp4',
  range: { startMs: 5123, endMs: 9456 },
  audioTrackIndex: 1,
  videoTrackIndex: 0,
};

const graphs = (request: DecodedPart): string[] =>
  decodeArguments(request, 4).filter((_word, at, words) => words[at - 1] === '-filter_complex');

test('decoding begins on a whole second: two before the range, then a minute, then the start', (t) => {
  t.deepEqual([0, 999, 2999, 3000, 5123, 61_999, 100_000].map(seekPoints), [
    [0],
    [0],
    [0],
    [1, 0],
    [3, 0],
    [59, 1, 0],
    [98, 40, 0],
  ]);
});

test('both tracks make one graph each, cut to the exact sample and picture', (t) => {
  const [audio = '', video = ''] = graphs(base);
  t.true(audio.startsWith('[0:1]aresample=48000:async=1:first_pts=0,'));
  t.true(audio.includes(`atrim=start_sample=${1123 * 48}:end_sample=${5456 * 48}`));
  t.true(audio.includes(`atrim=start_sample=${1123 * 16}:end_sample=${5456 * 16}`));
  t.true(
    video.startsWith(
      '[0:0]trim=end=6.456,settb=1/1000000,split=4[every][keyframes][interlacing][letterbox];[every]scale=96:54:flags=area,',
    ),
  );
  t.true(video.includes('metadata=mode=print:file=pipe\\\\:3[pictures]'));
});

test('the mix comes before the channels, both of the same samples', (t) => {
  const [audio = ''] = graphs(base);
  const cut = `atrim=start_sample=${1123 * 16}:end_sample=${5456 * 16},asetpts=N/SR/TB`;
  t.true(audio.includes(`aresample=16000,aformat=sample_fmts=dblp,${cut},asplit=2[whole][each]`));
  t.true(audio.includes('[whole]aformat=sample_fmts=s16:channel_layouts=mono[mix]'));
  t.true(audio.includes('[each]aformat=sample_fmts=s16:channel_layouts=3.0[channels]'));
  t.true(audio.endsWith('[mix][channels]amerge=inputs=2[pcm]'));
});

test('each measurement has a pipe of its own', (t) => {
  const pipes = [
    ...graphs(base)
      .join()
      .matchAll(/file=pipe\\\\:(\d)/g),
  ].map(([, pipe]) => pipe);
  t.deepEqual(pipes.sort(), ['3', '4', '5', '6', '7']);
});

test('a missing track has no branch', (t) => {
  const audio = decodeArguments({ ...base, videoTrackIndex: null }, 4);
  t.false(audio.join(' ').includes('scale='));
  t.true(audio.includes('[pcm]'));
  const video = decodeArguments({ ...base, audioTrackIndex: null }, 4);
  t.false(video.join(' ').includes('aresample'));
  t.true(video.includes('[pictures]'));
});

test('the file is one word, reached by the file protocol alone, after the seek', (t) => {
  const words = decodeArguments(base, 4);
  const input = words.indexOf('-i');
  t.is(words[input + 1], 'file:/films/-i odd name%d.mp4');
  t.is(words[words.indexOf('-protocol_whitelist') + 1], 'file');
  t.true(words.indexOf('-format_whitelist') < input);
  t.is(words[words.indexOf('-ss') + 1], '4');
  t.true(words.indexOf('-ss') < input);
  t.true(words.includes('-nostdin'));
});

const note = { cause: 'corrupt_packets', statedMs: null, measuredMs: 9000 } as const;
const identity = { tools: [], parameters: { 'silence.minimumMs': 300, audioTrackIndex: 1 } };
const tool = { name: 'ffmpeg', version: '1', digest: `sha256:${'0'.repeat(64)}` };
const sourceContentId = `sha256:${'1'.repeat(64)}`;

const detections: readonly Detection[] = [
  {
    kind: 'silence',
    state: 'available',
    artifact: {
      schema: 'studio.detected-evidence.v1',
      kind: 'silence',
      tool,
      parameters: { minimumMs: 300 },
      facts: [],
      input: { sourceContentId, range: { startMs: 0, endMs: 1000 }, trackIndex: 1, derivedAudio: null },
    },
  },
  { kind: 'shot_changes', state: 'unavailable', reasonCode: 'no_video_track' },
];

test('evidence over incomplete media says so, as its operation does', (t) => {
  t.deepEqual(identityOver(note, ['silence'], identity).parameters, {
    ...identity.parameters,
    'silence.incompleteMedia': 'corrupt_packets',
    'silence.statedMs': null,
    'silence.measuredMs': 9000,
  });
  const [silence, shots] = detectionsOver(note, detections);
  t.deepEqual(silence?.state === 'available' && silence.artifact.parameters, {
    minimumMs: 300,
    incompleteMedia: 'corrupt_packets',
    statedMs: null,
    measuredMs: 9000,
  });
  t.deepEqual(shots, detections[1]);
});

test('evidence over whole media stays as it is, and so does the key of its operation', (t) => {
  t.deepEqual(identityOver(undefined, ['silence'], identity), identity);
  t.deepEqual(detectionsOver(undefined, detections), [...detections]);
});

test('the windows of a range are all but the last one kept', (t) => {
  const ends = (endMs: number) => windowEnds({ startMs: 500, endMs }, 1000);
  t.deepEqual([600, 1500, 1501, 2500, 2501].map(ends), [[], [], [1500], [1500], [1500, 2500]]);
});
