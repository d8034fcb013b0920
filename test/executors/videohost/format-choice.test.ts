import test from 'ava';
import { chooseFormats, formatSelector } from '../../../executors/videohost/format-choice.ts';
import type { DescribedFormat } from '../../../executors/videohost/video-document.ts';

const format = (format_id: string, more: Partial<DescribedFormat> = {}): DescribedFormat => ({
  ...{ format_id, url: 'https://host.example/film', protocol: 'https', vcodec: 'avc1', acodec: 'mp4a' },
  ...more,
});
const picture = (id: string, height: number) => format(id, { acodec: 'none', height });
const sound = (id: string, language: string | null, language_preference = -1) =>
  format(id, { vcodec: 'none', language, language_preference });
const chosen = (...formats: DescribedFormat[]) =>
  chooseFormats(formats, { ownNetwork: true }).map(({ format_id }) => format_id);

test('the best whole format is taken, which is the last', (t) => {
  t.deepEqual(chosen(format('1', { height: 360 }), format('2', { height: 720 })), ['2']);
  t.deepEqual(chosen(format('1', { vcodec: null, acodec: null })), ['1']);
});

test('a taller picture of its own is taken with its sound', (t) => {
  t.deepEqual(chosen(sound('a', null), picture('v', 1080), format('whole', { height: 360 })), ['v', 'a']);
  t.deepEqual(chosen(sound('a', null), picture('v', 360), format('whole', { height: 360 })), ['whole']);
});

test('every language comes along in its best form, the original first', (t) => {
  const sounds = [sound('en-low', 'en'), sound('ko-low', 'ko', 10), sound('en', 'EN'), sound('ko', 'ko', 10)];
  t.deepEqual(chosen(...sounds, picture('v', 360), format('whole', { height: 720 })), ['v', 'ko', 'en']);
  const many = Array.from({ length: 20 }, (_, at) => sound(`a${at}`, `x${String.fromCharCode(97 + at)}`));
  t.is(chosen(...many, picture('v', 360)).length, 9);
});

test('a picture of unknown sound is taken for silent where sound stands apart', (t) => {
  const unknown = format('v', { vcodec: null, acodec: null });
  const at = (url: string) => ({ url: `https://host.example/${url}` });
  const apart = [
    { ...sound('en', 'en'), ...at('en') },
    { ...sound('ko', 'ko'), ...at('ko') },
  ];
  const again = { ...sound('again', null), ...at('en') };
  t.deepEqual(chosen(...apart, again, unknown), ['v', 'en', 'ko']);
  t.deepEqual(chosen(...apart, { ...again, ...at('third') }, unknown), ['v', 'en', 'ko', 'again']);
});

test('pictures above 1080 lines are left out while there are others', (t) => {
  t.deepEqual(chosen(picture('1080', 1080), picture('2160', 2160), sound('a', null)), ['1080', 'a']);
  t.deepEqual(chosen(picture('4320', 4320), picture('2160', 2160), sound('a', null)), ['2160', 'a']);
});

test('sound alone and picture alone will do', (t) => {
  t.deepEqual(chosen(sound('low', null), sound('a', null)), ['a']);
  t.deepEqual(chosen(picture('v', 360)), ['v']);
});

test('what is protected, is no media, or needs another protocol is never taken', (t) => {
  t.deepEqual(chosen(format('1', { has_drm: true })), []);
  t.deepEqual(chosen(format('1', { vcodec: 'none', acodec: 'none' })), []);
  t.deepEqual(chosen(format('1', { protocol: 'rtmp' }), format('2', { protocol: 'mhtml' })), []);
  t.deepEqual(chosen(format('1', { url: 'file:///etc/hostname' }), format('2', { url: null })), []);
  t.deepEqual(chosen(format('best'), format('1+2'), format('a]b'), format('')), ['best']);
});

test('a playlist is taken only where its reader lives in a network of its own', (t) => {
  const formats = [format('1'), format('2', { protocol: 'm3u8_native' }), format('3', { protocol: 'm3u8' })];
  const ids = (ownNetwork: boolean) => chooseFormats(formats, { ownNetwork }).map(({ format_id }) => format_id);
  t.deepEqual(ids(true), ['3']);
  t.deepEqual(ids(false), ['1']);
});

test('a selector names formats by their ids alone', (t) => {
  t.is(formatSelector(['137', '140-en']), 'b*[format_id=137]+b*[format_id=140-en]');
});
