//! Words of closed classes, which gain no new words. Compiled for this program from the inventories
//! in grammars, with forms used in short messages (`u`, `ur`); Slovak has its stop words.

use crate::text::class::Class;
use crate::text::stop_words::stop_words;
use std::collections::HashMap;

/// Words of one class, separated by white space.
type List = (Class, &'static str);

const ENGLISH: [List; 5] = [
    (
        Class::Connective,
        "the a an and or but nor so yet if then else than that because although though unless until while whereas whether since as \
         of in to for with on at by from up about into over after under above below between through during before behind beyond \
         within without against among across along around near off onto out outside inside per toward towards upon via except like \
         down past despite till be am is are was were been being have has had having do does did done doing will would shall should \
         can could may might must ought need dare not no yes n t s ll ve re d m don didn doesn isn aren wasn weren won wouldn \
         couldn shouldn hasn haven hadn ain cannot cant dont didnt doesnt isnt wont im ive ill r let lets gonna wanna gotta",
    ),
    (
        Class::Pronoun,
        "i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself we us our \
         ours ourselves they them their theirs themselves this these those who whom whose which what whatever whoever someone \
         somebody something anyone anybody anything everyone everybody everything nobody nothing none each other another \
         both all any some few many much several such own u ur urs ya",
    ),
    (
        Class::Adverb,
        "very too also just only even still already again always never ever often sometimes usually seldom rarely soon later now \
         here there where when why how however thus therefore hence rather quite almost enough perhaps maybe really actually \
         probably certainly instead together away back once twice else everywhere somewhere anywhere nowhere today tomorrow \
         yesterday tonight ago yet well more most less least further indeed otherwise meanwhile moreover nevertheless \
         anyway simply nearly hardly mostly finally",
    ),
    (
        Class::Numeral,
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen \
         nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion half quarter \
         first second third fourth fifth sixth seventh eighth ninth tenth dozen",
    ),
    (
        Class::Other,
        "oh ah haha hehe lol hey hi hello ok okay hmm wow huh eh yeah yep nope bye lah lor leh",
    ),
];

const GERMAN: [List; 5] = [
    (
        Class::Connective,
        "der die das den dem des ein eine einen einem einer eines und oder aber sondern denn doch sowie sowohl weder noch wenn als \
         ob dass daß weil da damit obwohl während bevor nachdem seit bis sobald solange falls indem sofern wie zu in im ins an am \
         ans auf aufs aus bei beim durch durchs für fürs gegen hinter mit nach neben ohne über um ums unter vom von vor wegen \
         zwischen zum zur ab außer gegenüber gemäß innerhalb außerhalb laut mangels mittels samt statt anstatt trotz je pro per \
         via entlang bin bist ist sind seid war warst waren wart gewesen sein wäre wären habe hast hat haben habt hatte hatten \
         gehabt hätte hätten werde wirst wird werden werdet wurde wurden worden geworden würde würden kann kannst können könnt \
         konnte konnten könnte könnten darf dürfen durfte dürfte muss müssen musste müsste soll sollen sollte sollten will wollen \
         wollte wollten mag mögen mochte möchte möchten nicht kein keine keinen keinem keiner keines nein ja zwar nur bloß",
    ),
    (
        Class::Pronoun,
        "ich mich mir mein meine meinen meinem meiner meines du dich dir dein deine deinen deinem deiner deines er ihn ihm sein \
         seine seinen seinem seiner seines sie ihr ihre ihren ihrem ihrer ihres es wir uns unser unsere unseren unserem unserer \
         euch euer eure euren eurem eurer ihnen sich man dieser diese dieses diesen diesem jener jene jenes jenen jenem welcher \
         welche welches welchen welchem wer wen wem wessen was etwas nichts jemand jemanden jemandem niemand niemanden niemandem \
         alle alles allen allem aller jeder jede jedes jeden jedem manche mancher manches manchen beide beiden beides einige \
         einigen einiger mehrere mehreren viele vielen vieler wenige wenigen solche solcher solches solchen derselbe dieselbe \
         dasselbe selbst selber deren dessen denen einander",
    ),
    (
        Class::Adverb,
        "sehr auch schon immer nie niemals oft manchmal selten bald jetzt nun heute gestern morgen dann danach dort hier hierher \
         dorthin wo wohin woher wann warum weshalb wieso sonst vielleicht wohl eben etwa fast ganz gar genug gerade gern gerne \
         kaum mehr meist meistens mindestens nochmals sogar sofort trotzdem überall nirgends wieder wirklich ziemlich zuerst \
         zuletzt zusammen außerdem dabei dadurch dafür dagegen daher dahin damals daran darauf daraus darin darüber darum \
         darunter davon davor dazu deshalb deswegen jedoch dennoch allerdings übrigens erst anders so weiter zurück bereits \
         besonders lediglich zumindest",
    ),
    (
        Class::Numeral,
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn \
         achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend million millionen \
         milliarde milliarden halb erste ersten erster erstes zweite zweiten dritte dritten vierte fünfte dutzend",
    ),
    (
        Class::Other,
        "ach oh hallo hi hey tschüss tschüß danke bitte haha hm okay ok",
    ),
];

/// The languages with lists.
pub(super) const LANGUAGES: [&str; 3] = ["en", "de", "sk"];

/// The words of the languages with their classes; a word in several languages has its class in the
/// first.
pub(super) fn closed(languages: &[&str]) -> HashMap<&'static str, Class> {
    let mut words = HashMap::new();
    for language in languages {
        let lists: &[List] = match *language {
            "en" => &ENGLISH,
            "de" => &GERMAN,
            _ => &[],
        };
        for (class, list) in lists {
            for word in list.split_whitespace() {
                words.entry(word).or_insert(*class);
            }
        }
        if *language == "sk" {
            for word in stop_words("sk").into_iter().flatten() {
                words.entry(*word).or_insert(Class::Connective);
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_lower_case_and_composed() {
        use unicode_normalization::UnicodeNormalization;
        for word in closed(&LANGUAGES).into_keys() {
            assert_eq!(word, word.to_lowercase().nfc().collect::<String>());
        }
        assert_eq!(closed(&["de"]).get("die"), Some(&Class::Connective));
        assert_eq!(closed(&["en"]).get("die"), None);
    }
}
