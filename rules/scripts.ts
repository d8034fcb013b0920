import { baseLanguage } from './languages.ts';

/** A tag in its canonical form; null for text that does not have the form of BCP 47. */
export function localeOf(tag: string): Intl.Locale | null {
  try {
    const [canonical] = Intl.getCanonicalLocales(tag);
    return canonical === undefined ? null : new Intl.Locale(canonical);
  } catch {
    // A container may carry any text in the place of its language.
    return null;
  }
}

/** Languages that are written in two scripts or more, so that their name alone does not tell which. */
const severalScripts: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['zh', 'yue'].map((code) => [code, ['Hans', 'Hant']])),
  ...Object.fromEntries(['sr', 'bs', 'tt', 'tk'].map((code) => [code, ['Latn', 'Cyrl']])),
  ...Object.fromEntries(['uz', 'az', 'kk'].map((code) => [code, ['Latn', 'Cyrl', 'Arab']])),
  ...Object.fromEntries(['ku', 'ms', 'ha'].map((code) => [code, ['Latn', 'Arab']])),
  mn: ['Cyrl', 'Mong'],
  pa: ['Guru', 'Arab'],
  sd: ['Arab', 'Deva'],
};

/**
 * The script that a tag stands for: its own subtag, or that of its region, or the one script of its language. Null if the language has
 * several, and the tag names none: `zh`, `sr`, `sr-RS`. The likely scripts are those of CLDR.
 */
export function scriptOfTag(tag: string): string | null {
  const locale = localeOf(tag);
  const base = baseLanguage(tag);
  if (locale === null || base === null) return null;
  if (locale.script !== undefined) return locale.script;
  const likely = locale.maximize().script ?? null;
  if (severalScripts[base] === undefined) return likely;
  if (locale.region === undefined) return null;
  // Each region has one form of Chinese. Serbia has both scripts of Serbian, so only another likely script says something.
  const isOwn = base === 'zh' || base === 'yue' || likely !== (new Intl.Locale(base).maximize().script ?? null);
  return isOwn ? likely : null;
}

/** Common characters that the simplified form of Chinese alone has, and the traditional form alone. */
const chinese = {
  Hans: new Set(
    '们这说国来时对会个为学过还没么样经开关问间见现点长东车电话语请谢给让认识该谁吗爱听觉写读头门马鱼鸟钱银铁饭馆买卖实岁气汉无万业两严丽义乐习乡书乱争亲从仅优伟传伤体儿兰兴养军农冲决况净凉减凤击刘则刚创别办务动劳势华协单卫压厂厅历县参双变叶号叹员响哑图团园围场坏块坚坛报墙处备复够夺奋奖妇妈娱孙宁宝审宾宽寻导将尔尝层属岛峡币师带帮库应广庙废张弹强归录忆忧怀态总恋恶恼悬惊惧惨惯愿戏战户执扩扫扬护担拥择挡换据损摄敌数断旧显晓暂术机杀杂权条极构标栏树检楼欢欧残毁毕汤沟泪济浅测浓涛温湾湿满灭灯灵灾炉烂烦烧热爷牵状独猎猫环玛电画疗疯痒盖盘监眯矿码础确离种积稳穷窝竞笔筑签简粮红约级纪纯纸线组细终绍绝统继绩绪续绳维绿缘编缓缝罗罚职联聪肃肤胆胜脏脑脚脸舰艰艺节芦苏荐荣药莱获营萝葱蓝虑虚虽蚁补装见观规视觉触计订训议记讲许论设访证评诉词译试诗诚详误谈谋谎谜谱贝负财责败货质贩贪贫贯贴贵贷贸费贺贼资赏赐赖赚赛赞赵赶趋跃践踪轨转轮软轻载较辅辆辈输辑边达迁运进远违连迟适选递逻遗邓邮邻郑酱酿释鉴针钉钓钟钢钥铃铜锁锅错锋锐锦键镇镜闪闭闯闲闻阅阳阴阵阶际陆陈险随隐难雾静韩页顶项顺须顾顿预领颇频题颜额风飞饥饮饱饿驰驱驻驾骂骄验骗骨骑鲁鲜鸡鸣鸭鹅麦黄齐龄龙龟',
  ),
  Hant: new Set(
    '們這說説國來時對會個為爲學過還沒麼樣經開關問間見現點長東車電話語請謝給讓認識該誰嗎愛聽覺寫讀頭門馬魚鳥錢銀鐵飯館買賣實歲氣漢無萬業兩嚴麗義樂習鄉書亂爭親從僅優偉傳傷體兒蘭興養軍農衝決況淨準涼減鳳擊劉則剛創別辦務動勞勢華協單衛壓廠廳歷曆縣參雙變葉號嘆員響啞圖團園圍場壞塊堅壇報牆處備複復夠奪奮獎婦媽娛孫寧寶審賓寬尋導將爾嘗層屬島峽幣師帶幫庫應廣廟廢張彈強歸錄憶憂懷態總戀惡惱懸驚懼慘慣願戲戰戶執擴掃揚護擔擁擇擋換據損攝敵數斷舊顯曉暫術機殺雜權條極構標欄樹檢樓歡歐殘毀畢湯溝淚濟淺測濃濤溫灣濕滿滅燈靈災爐爛煩燒熱爺牽狀獨獵貓環瑪畫療瘋癢蓋盤監瞇礦碼礎確離種積穩窮窩競筆築簽簡糧紅約級紀純紙線組細終紹絕統繼績緒續繩維綠緣編緩縫羅罰職聯聰肅膚膽勝臟腦腳臉艦艱藝節蘆蘇薦榮藥萊獲營蘿蔥藍慮虛雖蟻補裝觀規視觸計訂訓議記講許論設訪證評訴詞譯試詩誠詳誤談謀謊謎譜貝負財責敗貨質販貪貧貫貼貴貸貿費賀賊資賞賜賴賺賽讚贊趙趕趨躍踐蹤軌轉輪軟輕載較輔輛輩輸輯邊達遷運進遠違連遲適選遞邏遺鄧郵鄰鄭醬釀釋鑒針釘釣鐘鋼鑰鈴銅鎖鍋錯鋒銳錦鍵鎮鏡閃閉闖閒聞閱陽陰陣階際陸陳險隨隱難霧靜韓頁頂項順須顧頓預領頗頻題顏額風飛飢飲飽餓馳驅駐駕罵驕驗騙騎魯鮮雞鳴鴨鵝麥黃齊齡龍龜裡裏後妳幾',
  ),
};

/**
 * How many telling signs a text needs before its script is known, and the least share of one script among them. A name in other letters
 * does not change the script of a text.
 */
const SCRIPT_OF_TEXT = { letters: 8, chineseSigns: 4, share: 0.8 } as const;

const letters: Readonly<Record<string, RegExp>> = {
  Latn: /\p{Script=Latin}/u,
  Cyrl: /\p{Script=Cyrillic}/u,
  Arab: /\p{Script=Arabic}/u,
  Guru: /\p{Script=Gurmukhi}/u,
  Deva: /\p{Script=Devanagari}/u,
  Mong: /\p{Script=Mongolian}/u,
};

const isOf = (script: string, sign: string): boolean =>
  script === 'Hans' || script === 'Hant' ? chinese[script].has(sign) : (letters[script]?.test(sign) ?? false);

/**
 * The script that a text is written in, of those that its language is written in. Null for a language with one script, for too
 * short a text, and for one in both: two rows of Chinese, one in each form. Of Chinese, only signs count that one form alone has.
 */
export function scriptOfText(language: string, texts: readonly string[]): string | null {
  const base = baseLanguage(language) ?? '';
  const known = severalScripts[base];
  if (known === undefined) return null;
  const counts = known.map((script) => ({ script, count: 0 }));
  for (const text of texts) {
    for (const sign of text) {
      const found = counts.find(({ script }) => isOf(script, sign));
      if (found !== undefined) found.count += 1;
    }
  }
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  const least = base === 'zh' || base === 'yue' ? SCRIPT_OF_TEXT.chineseSigns : SCRIPT_OF_TEXT.letters;
  const [most] = counts.toSorted((one, other) => other.count - one.count);
  return most !== undefined && all >= least && most.count >= SCRIPT_OF_TEXT.share * all ? most.script : null;
}
