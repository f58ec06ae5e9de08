package io.github.senderwhitelist.decision;

import java.util.Set;

/**
 * The public mail providers: organisations at which anybody gets an address. Two of their addresses
 * belong to strangers, so neither says anything about the other.
 */
public final class PublicProviders {
    /** Their domains. The same name under another public suffix is another organisation. */
    private static final Set<String> DOMAINS =
            Set.of(
                    """
                    126.com 139.com 163.com 189.cn abv.bg aim.com alice.it aliyun.com aol.com
                    arcor.de att.net azet.sk bellsouth.net bigpond.com bk.ru bluewin.ch
                    blueyonder.co.uk bol.com.br btinternet.com btopenworld.com caramail.com
                    centrum.cz charter.net comcast.net cox.net daum.net disroot.org docomo.ne.jp
                    duck.com earthlink.net email.cz email.it fastmail.com fastmail.fm foxmail.com
                    free.fr freemail.hu freenet.de frontier.com gmail.com gmx.at gmx.ch gmx.com
                    gmx.de gmx.fr gmx.net gmx.us googlegroups.com googlemail.com groups.io
                    hanmail.net hey.com hotmail.be hotmail.ca hotmail.ch hotmail.co.jp
                    hotmail.co.uk hotmail.com hotmail.com.ar hotmail.com.br hotmail.de hotmail.dk
                    hotmail.es hotmail.fi hotmail.fr hotmail.gr hotmail.it hotmail.nl hotmail.no
                    hotmail.se hushmail.com icloud.com ig.com.br inbox.lv inbox.ru interia.pl
                    juno.com kolabnow.com laposte.net libero.it list.ru live.at live.be live.ca
                    live.cn live.co.uk live.com live.com.au live.com.mx live.com.pt live.de live.dk
                    live.fr live.ie live.it live.jp live.nl live.no live.se mac.com mail.bg
                    mail.com mail.de mail.ee mail.ru mailbox.org mailfence.com me.com msn.com
                    nate.com naver.com netscape.net neuf.fr ntlworld.com o2.pl onet.eu onet.pl
                    online.de optonline.net orange.fr outlook.at outlook.be outlook.co.id
                    outlook.com outlook.com.au outlook.com.br outlook.com.tr outlook.de outlook.dk
                    outlook.es outlook.fr outlook.ie outlook.it outlook.jp outlook.kr outlook.sa
                    passport.com pm.me pobox.com post.cz posteo.at posteo.ch posteo.de posteo.net
                    proton.me protonmail.ch protonmail.com qq.com rambler.ru rediffmail.com
                    riseup.net rocketmail.com rogers.com runbox.com sapo.pt sbcglobal.net seznam.cz
                    sfr.fr shaw.ca sina.cn sina.com sina.com.cn sky.com skynet.be sohu.com
                    sympatico.ca t-online.de talktalk.net telenet.be terra.com.br tin.it
                    tiscali.co.uk tiscali.it tuta.com tuta.io tutamail.com tutanota.com tutanota.de
                    ukr.net uol.com.br verizon.net virgilio.it virginmedia.com vodafone.de volny.cz
                    walla.co.il wanadoo.fr web.de windowslive.com windstream.net wp.pl xs4all.nl
                    xtra.co.nz ya.ru yahoo.ca yahoo.co.id yahoo.co.in yahoo.co.jp yahoo.co.kr
                    yahoo.co.nz yahoo.co.th yahoo.co.uk yahoo.co.za yahoo.com yahoo.com.ar
                    yahoo.com.au yahoo.com.br yahoo.com.cn yahoo.com.hk yahoo.com.mx yahoo.com.my
                    yahoo.com.ph yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.vn yahoo.de
                    yahoo.dk yahoo.es yahoo.fr yahoo.gr yahoo.ie yahoo.in yahoo.it yahoo.nl
                    yahoo.no yahoo.pl yahoo.pt yahoo.ro yahoo.se yandex.by yandex.com yandex.com.tr
                    yandex.kz yandex.ru yandex.ua yeah.net ymail.com ziggo.nl zoho.com zoho.eu
                    zoho.in zohomail.com
                    """
                            .strip()
                            .split("\\s+", -1));

    private PublicProviders() {}

    /** Returns whether a canonical domain belongs to a public mail provider. */
    public static boolean has(String domain) {
        return DOMAINS.contains(PublicSuffixes.organisation(domain));
    }
}
