import test from 'ava';
import type { RegisteredSource } from '../../../contract/sources/source-session.ts';
import { checkDelivered } from '../../../receipts/evidence/check-delivered.ts';
import type { DeliveredPass } from '../../../receipts/evidence/delivered-pass.ts';
import type { MediaOperation } from '../../../receipts/evidence/media-operation.ts';
import { koreanClip } from '../sources/korean-clip.ts';
import { storedStudy } from './stored-study.ts';

type Parameters = MediaOperation['parameters'];

const { run } = storedStudy({ version: 1, windows: 4 });

const track = (index: number, kind: 'video' | 'audio'): RegisteredSource['tracks'][number] => ({
  ...{ id: `stream:${index}`, index, kind, codec: kind === 'audio' ? 'aac' : 'h264', durationMs: 1000 },
});

const reasons = [
  ['speech_activity', 'no_audio_in_range'],
  ['silence', 'no_audio_in_range'],
  ['loudness', 'no_audio_in_range'],
  ['shot_changes', 'no_frames_in_range'],
] as const;

/** What is found in a pass over a film with so many audio tracks, in which nothing was found, and these parameters were stated. */
function passOver(audioTracks: number, parameters: Parameters): string | null {
  const audio = Array.from({ length: audioTracks }, (_, at) => track(at + 1, 'audio'));
  const pass: DeliveredPass = {
    source: { ...koreanClip, tracks: [track(0, 'video'), ...audio], trackLanguages: [], defaultTracks: [2] },
    request: run.record.analysisRequest,
    operation: { capability: 'media.detect', tools: [], parameters, limits: { maxWallMs: 1 } },
    evidence: reasons.map(([kind, reasonCode]) => ({
      delivered: { kind, state: 'unavailable', reasonCode, artifactId: null, contentId: null },
      artifact: null,
    })),
    further: [],
  };
  try {
    checkDelivered(pass);
    return null;
  } catch (error) {
    return (error as { place: string }).place;
  }
}

const later = [
  { 'speech_activity.signals': 'the mix' },
  { 'silence.belowProgrammeDb': 26 },
  { 'shot_changes.rule': 'the change of small pictures' },
  { 'waveform.windowMs': 20 },
];

test('a version that states what came later also states the rule by which it chose an audio track', (t) => {
  const place = 'parameters.speech_activity.audioTrackRule';
  for (const stated of later) t.is(passOver(2, { ...stated, audioTrackIndex: 1 }), place);
  const ruled = { 'speech_activity.audioTrackRule': 'default flag', 'speech_activity.otherAudioTracks': '1:aac:' };
  for (const stated of later) t.is(passOver(2, { ...stated, ...ruled, audioTrackIndex: 2 }), null);
});

test('the first version chose none, and with one track there is nothing to choose', (t) => {
  t.is(passOver(2, { 'silence.thresholdDb': -40, audioTrackIndex: 1 }), null);
  for (const stated of later) t.is(passOver(1, { ...stated, audioTrackIndex: 1 }), null);
});
