import test from 'ava';
import { type ChosenEngines, enginesOf } from '../../../actors/operation/engines.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const none: ChosenEngines = {
  detectors: [{ name: 'ffmpeg', version: '5.1', digest }],
  hasWorkers: false,
  recognizer: null,
  screenText: [],
  captionExecutor: 'recorded_real_pipeline_fixture',
  translator: null,
  explainer: null,
  downloader: null,
  whyNoDownloader: 'no yt-dlp answers on this machine',
};

const said = (chosen: ChosenEngines) =>
  enginesOf(chosen).map(({ engine, isOn, reach, mayCost }) => [engine, isOn, reach, mayCost]);

test('a host without further engines sends nothing and costs nothing', (t) => {
  t.deepEqual(said(none), [
    ['detectors', true, 'this_host', false],
    ['recognizer', false, 'this_host', false],
    ['screen_text', false, 'this_host', false],
    ['captions', false, 'this_host', false],
    ['caption_translation', false, 'this_host', false],
    ['explanations', false, 'this_host', false],
    ['video_hosts', false, 'this_host', false],
  ]);
});

test('an engine behind a server elsewhere leaves the machine and may cost; one behind a server here does neither', (t) => {
  const server = (isLocal: boolean) => ({ baseUrl: 'https://models.example/v1', apiKey: 'secret', isLocal });
  const chosen: ChosenEngines = {
    ...none,
    screenText: [{ name: 'tesseract.js', version: '7.0.0', digest }],
    recognizer: { engine: 'openai', model: 'listener', responseFormat: 'json', provider: server(false) },
    captionExecutor: 'recognised_transcript_translated',
    translator: { model: 'writer', provider: server(true) },
    explainer: { model: 'teacher', provider: server(false) },
    downloader: { name: 'yt-dlp', version: '2026.01.01', digest },
  };
  t.deepEqual(said(chosen), [
    ['detectors', true, 'this_host', false],
    ['recognizer', true, 'outside', true],
    ['screen_text', true, 'this_host', false],
    ['captions', true, 'this_host', false],
    ['caption_translation', true, 'this_machine', false],
    ['explanations', true, 'outside', true],
    ['video_hosts', true, 'outside', false],
  ]);
  t.false(JSON.stringify(enginesOf(chosen)).includes('secret'));
});

test('detectors of workers work on media that has left the host', (t) => {
  const [detectors] = enginesOf({ ...none, hasWorkers: true });
  t.is(detectors?.reach, 'outside');
  t.regex(detectors?.text ?? '', /object source/);
});
