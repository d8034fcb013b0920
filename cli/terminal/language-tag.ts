import { WrongCall } from './call.ts';

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/**
 * Throws `WrongCall` for what only looks like a language tag: `korean`, or `jp`, the code of a country. A tag begins with two or
 * three letters (BCP 47 has never registered more), and each pair of letters that means a language has a name in Node. Of three
 * letters Node has names for the common ones alone, so these pass.
 */
export function checkLanguage(tag: string, where: string): void {
  const [, primary = ''] = /^([A-Za-z]{2,3})(?:-[A-Za-z0-9]{1,8})*$/.exec(tag) ?? [];
  if (primary.length === 3 || (primary.length === 2 && names.of(primary) !== undefined)) return;
  throw new WrongCall(`${where}: ${tag} is no tag of a language; give one such as ko, en or pt-BR`);
}
