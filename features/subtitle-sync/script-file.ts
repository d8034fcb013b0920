import { ServiceError } from '../../contract/base/errors.ts';
import { decodedText } from '../../formats/text-encoding.ts';
import { baseLanguage, contradictsLanguage } from '../../rules/languages.ts';
import { readScript, type Script } from '../../rules/script-text.ts';

const subtitleFile = /^(?:WEBVTT\b|\[Script Info\])|^[\d:.,]{7,}\s*-->\s*[\d:.,]{7,}/m;

/** The first bytes of files that hold text and are not plain text. */
const otherFormats = [
  ['%PDF-', 'a PDF file'],
  ['PK\u0003\u0004', 'a document of a word processor, or an archive'],
  ['{\\rtf', 'an RTF file'],
  ['<?xml', 'an XML file'],
  ['<!DOCTYPE', 'a web page'],
  ['<html', 'a web page'],
] as const;

/** A script as it was read, and the encoding of its file. */
export interface ReadScript {
  readonly script: Script;
  readonly encoding: string;
}

/**
 * Reads a script of plain text. Throws `invalid_script` for a subtitle file, for another format, for other letters than those of the
 * language, and without words. Throws `subtitle_encoding_mismatch` for bytes that are not text in the encoding.
 */
export function openScript(bytes: Uint8Array, language: string, named: string | null): ReadScript {
  const begin = Buffer.from(bytes.subarray(0, 16)).toString('latin1').trimStart();
  const format = otherFormats.find(([mark]) => begin.startsWith(mark))?.[1];
  if (format !== undefined) throw new ServiceError('invalid_script', `this is ${format}: save it as plain text`);
  const { encoding, text } = decodedText(bytes, named, language);
  if (subtitleFile.test(text)) {
    throw new ServiceError('invalid_script', 'this is a subtitle file, which has times already');
  }
  const script = readScript(text, language);
  if (script.phrases.length === 0) throw new ServiceError('invalid_script', 'the script has no words that are said');
  const words = script.words.map((word) => word.text).join(' ');
  if (contradictsLanguage(words, [baseLanguage(language) ?? language], { identified: null, recognized: null })) {
    throw new ServiceError('invalid_script', `the script is not written in the letters of ${language}`);
  }
  return { script, encoding };
}
