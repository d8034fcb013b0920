import { createHash } from 'node:crypto';

/**
 * Languages that the identifier takes for one that it has, since it was not made for them: by the code that it gives them, the
 * frequent words that the language of this code writes and they do not, and those that they write and it does not. The lists
 * were written for this project. Galician, Asturian and Occitan become `es`, `pt` or `ca`; Afrikaans `nl`; Indonesian `ms`;
 * Serbian in Latin letters `hr`; Macedonian `bg` or `sr`; Nepali `hi` or `mr`.
 */
const WORDS: Readonly<Record<string, { readonly own: string; readonly others: string }>> = {
  es: {
    own: 'y las pero muy también está están hay qué quién cuando cuándo donde dónde más usted ellos nosotros soy eres cómo ahora algo hacer tiene',
    others:
      'non unha xa cando polo pola moi tamén dende sen aínda despois nin miña súa coa os á ao aos les nun enxamás ye nel xente mui tamién yá equí ensin facer fai foi dous outro outra eu ele isto iso meu as do da dos das na nas tán pas amb dins',
  },
  pt: {
    own: 'não uma um você vocês ela eles elas muito também são estão mas isso isto então mãe minha seu sua às pelo pela quando quem nós lhe tem temos fazer sem até já depois agora bem',
    others:
      'non unha unhas un xa xente cando á ós algún ningún moi máis tamén dende hai sen aquí aínda despois vostede facer nin miña súa túa coa coas cos ben',
  },
  ca: {
    own: 'els amb és ho què jo ell nosaltres però molt també als dels hem has seva meva teva aquest aquesta això quan res sóc són està estic vull fer us',
    others: 'lo los ieu ela nosautres mas fòrça tanben dins sèm aquò aqueste ont quand coma pas lei lis ei eth mès',
  },
  nl: {
    own: 'een ik jij je zij hij wij we niet naar zijn hebben heeft heb waren mij jouw jullie geen deze wordt worden zou zal kunnen moeten ben bent als',
    others: 'nie ek jy sy hy hulle die my vir sal hierdie sê baie geword kyk',
  },
  ms: {
    own: 'awak tak boleh kerana sahaja ialah bila apabila sekejap macam dekat nak hendak daripada encik cik puan cakap wang bahawa jumpa nampak semasa beritahu petang kereta pejabat polis kawan lelaki bercakap cuba mahu dahulu',
    others:
      'karena bisa kalian enggak nggak gak gue lu banget ayo uang kapan mobil kantor bahwa silakan mengapa pria sebentar mau bicara coba punya teman kenapa tapi anda kamu begitu kalau dulu mari pakai memakai mencoba',
  },
  hr: {
    own: 'gdje tko što netko vrijeme lijepo dijete uvijek prije poslije htio vidjeti vjerujem cijeli cijela cijelu bijeli svijet mjesto ovdje ondje riječ uopće željela želim tjedan vlak zrak kava riješiti dvije tijelo tisuća pjesma djeca uspjeli vjerojatno',
    others:
      'gde šta neko vreme lepo dete uvek pre posle voleo videti verujem ceo cela celu beli svet ovde onde reč uopšte želela nedelja vazduh rešiti dve telo hiljada pesma deca verovatno mleko svetlo peške hteo trebalo',
  },
  bg: {
    own: 'аз той тя ние съм са това този тази тези какво къде защо сега няма ще в как която които също след повече искам можеш',
    others:
      'јас тој таа тоа тие сум ова овој оваа овие каде зошто многу ќе во од како кој кои исто повеќе сакам веќе ништо дека',
  },
  sr: {
    own: 'он они сам је смо су ово овај шта где зашто сада ће у ко који које такође после пре хоћу нисам није ништа већ али са кад када њега њој',
    others:
      'јас тој таа тоа ние тие сум беше оваа овие каде зошто сега многу ќе во кој кои исто повеќе сакам веќе дека',
  },
  hi: {
    own: 'है हैं में का की से ने नहीं था थी थे हूँ हूं यह वह और मैं तुम क्या मुझे उसे कर रहा रही रहे लिए भी कोई कुछ बहुत क्यों',
    others:
      'छ छन् छैन छु छौं छौ होइन म तिमी तपाईं तपाईँ उनी उहाँ हामी यो त्यो र पनि अनि मलाई तिमीलाई उसलाई किन कसरी भयो भएको गर्न गरेको गर्ने हुन्छ थियो थिए भने लागि गर्नुहोस् हुनेछ सक्छ सकिएन सबै धेरै मेरो हाम्रो कुनै केही',
  },
  mr: {
    own: 'आहे आहेत आणि नाही नाहीत मी तू मला तुला त्याला तिला आम्ही तुम्ही काय कुठे कसे होता होती होते नको साठी करा केले झाले आपण माझा माझी तुझा त्या येथे असेल कधी खूप',
    others:
      'छ छन् छैन छु छौं छौ होइन म तिमी तपाईं तपाईँ उनी उहाँ हामी यो त्यो र पनि अनि मलाई तिमीलाई उसलाई किन कहाँ कसरी भयो भएको गर्न गरेको गर्ने हुन्छ थियो थिए भने लागि गर्नुहोस् हुनेछ सक्छ सकिएन सबै धेरै मेरो हाम्रो कुनै केही',
  },
};

/** Letters that stand in no word of a language, and do in one that the identifier takes for it (Assamese; Kazakh, Kyrgyz, Mongolian, Macedonian). */
const LETTERS: Readonly<Record<string, string>> = {
  bn: 'ৰৱ',
  ru: 'әғқңөұүһіјљњћђџѓќѕўєї',
  uk: 'әғқңөұүһјљњћђџѓќѕўёыэъ',
  be: 'әғқңөұүһјљњћђџѓќѕщъиєї',
  bg: 'әғқңөұүһіјљњћђџѓќѕўєїыэё',
  sr: 'әғқңөұүһіѓќѕўєїыэёщйъья',
};

/** The digest of both tables: what they say is a part of how languages are identified. */
export const NEAR_LANGUAGES_SHA256 = createHash('sha256')
  .update(JSON.stringify([WORDS, LETTERS]))
  .digest('hex');

const wordSet = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const NEAR = new Map(
  Object.entries(WORDS).map(([code, { own, others }]) => [code, { own: wordSet(own), others: wordSet(others) }]),
);

const WORD = /[\p{L}\p{M}]+/gu;

/**
 * Whether texts that the identifier gave this code are in its language, and not in one that it takes for it: more words of the
 * language than of the others. Always true for a language that no other is taken for.
 */
export function isNoNeighbour(texts: readonly string[], code: string): boolean {
  const near = NEAR.get(code);
  if (near === undefined) return true;
  let lead = 0;
  for (const text of texts) {
    for (const [word] of text.toLowerCase().matchAll(WORD)) {
      if (near.own.has(word)) lead += 1;
      else if (near.others.has(word)) lead -= 1;
    }
  }
  return lead > 0;
}

/** Whether a text has a letter that the language does not write. */
export function hasForeignLetter(text: string, code: string): boolean {
  const letters = LETTERS[code];
  return letters !== undefined && [...text.toLowerCase()].some((letter) => letters.includes(letter));
}
