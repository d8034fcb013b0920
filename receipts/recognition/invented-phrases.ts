import { firstTranscriptGates, type TranscriptGates } from '../../contract/evidence/transcript.ts';
import { lettersOf, tokensOf } from './line-tokens.ts';

/**
 * What recognisers that were trained on subtitles of the web are known to write where no speech is: the credits and the
 * goodbyes of those videos. Each is a plain fact that users of them have reported many times.
 */
export const INVENTED_PHRASES: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Thank you for watching',
    'Thanks for watching',
    'Please subscribe to my channel',
    "Don't forget to like and subscribe",
    'Like and subscribe',
    'See you in the next video',
    "I'll see you in the next one",
    'Subtitles by the Amara.org community',
    'Transcription by CastingWords',
    'Transcribed by https://otter.ai',
  ],
  de: [
    'Untertitel der Amara.org-Community',
    'Untertitel im Auftrag des ZDF für funk, 2017',
    'Untertitelung des ZDF, 2020',
    'Vielen Dank fürs Zuschauen',
    'Bis zum nächsten Mal',
  ],
  fr: [
    "Sous-titres réalisés par la communauté d'Amara.org",
    "Sous-titres réalisés para la communauté d'Amara.org",
    "Merci d'avoir regardé cette vidéo",
    "N'oubliez pas de vous abonner",
    'Sous-titrage Société Radio-Canada',
  ],
  es: [
    'Subtítulos realizados por la comunidad de Amara.org',
    'Subtítulos por la comunidad de Amara.org',
    'Gracias por ver el video',
    'Suscríbete al canal',
  ],
  it: [
    'Sottotitoli creati dalla comunità Amara.org',
    'Sottotitoli e revisione a cura di QTSS',
    'Grazie per la visione',
  ],
  pt: ['Legendas pela comunidade Amara.org', 'Obrigado por assistir', 'Inscreva-se no canal'],
  nl: ['Ondertitels ingediend door de Amara.org gemeenschap', 'Bedankt voor het kijken'],
  pl: ['Napisy stworzone przez społeczność Amara.org', 'Dziękuję za oglądanie'],
  ru: ['Субтитры сделал DimaTorzok', 'Субтитры создавал DimaTorzok', 'Спасибо за просмотр', 'Продолжение следует'],
  tr: ['Altyazı M.K.', 'İzlediğiniz için teşekkür ederim', 'Abone olmayı unutmayın'],
  ja: ['ご視聴ありがとうございました', '最後までご視聴ありがとうございました', 'チャンネル登録お願いします'],
  ko: ['시청해주셔서 감사합니다', '시청해 주셔서 감사합니다', '구독과 좋아요 부탁드립니다', 'MBC 뉴스 이덕영입니다'],
  zh: ['谢谢观看', '感謝觀看', '请不吝点赞 订阅 转发 打赏支持明镜与点点栏目', '字幕由Amara.org社区提供'],
  ar: ['ترجمة نانسي قنقر', 'شكرا للمشاهدة', 'اشتركوا في القناة'],
};

/** From which share of the letters of a line on such phrases are what the line says: more than half, so that they outweigh the rest. */
export const INVENTED_SHARE = 0.6;

// Accents, and the dot of an i, differ by how a text was written and raised to capitals.
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replaceAll('ı', 'i')
    .normalize('NFKC');

const plain = (text: string): string => ` ${tokensOf(folded(text)).join(' ')} `;

const phrases = Object.values(INVENTED_PHRASES)
  .flat()
  .map((phrase) => ({ text: plain(phrase), letters: lettersOf(plain(phrase)).length }));

/** How many letters of a line lie in phrases; a letter in several of them counts once. */
function lettersWithin(line: string, said: readonly { readonly text: string }[]): number {
  const places = new Set<number>();
  for (const { text } of said) {
    for (let from = line.indexOf(text); from !== -1; from = line.indexOf(text, from + 1)) {
      for (let at = from; at < from + text.length; at += 1) places.add(at);
    }
  }
  return [...line.matchAll(/[\p{L}\p{N}]/gu)].filter(({ index }) => places.has(index)).length;
}

/**
 * Whether a line says what recognisers are known to invent: several phrases together, or for the first `gates` one alone. People say
 * some of these too: a line of them needs a second run that heard the same.
 */
export function isKnownInvention(text: string, gates: TranscriptGates): boolean {
  const line = plain(text);
  const letters = lettersOf(line).length;
  const said = phrases.filter((phrase) => line.includes(phrase.text));
  const invented =
    gates === firstTranscriptGates ? Math.max(0, ...said.map((phrase) => phrase.letters)) : lettersWithin(line, said);
  return said.length > 0 && invented >= INVENTED_SHARE * letters;
}
