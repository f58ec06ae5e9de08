package io.github.senderwhitelist.importer;

import static org.assertj.core.api.Assertions.assertThat;

import ezvcard.VCard;
import ezvcard.VCardVersion;
import ezvcard.io.text.VCardReader;
import ezvcard.io.text.VCardWriter;
import ezvcard.parameter.Encoding;
import ezvcard.parameter.ImageType;
import ezvcard.property.Email;
import ezvcard.property.Note;
import ezvcard.property.Photo;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What vCards hold, compared with what ez-vcard reads. {@code imports.txt} has single cards. */
class AddressBookTest {
    private static final List<VCardVersion> VERSIONS =
            List.of(VCardVersion.V2_1, VCardVersion.V3_0, VCardVersion.V4_0);

    private static final String RULE = " auth=any to=sam@here.example origin=user";

    @Test
    void vcardShouldPassOverLongPictures() throws IOException {
        String card =
                "BEGIN:VCARD\nNOTE:%s\nPHOTO:%s\nEMAIL:a@x.example\nEND:VCARD\n"
                        .formatted("x".repeat(1 << 22), "x\n ".repeat(1 << 20));
        assertThat(Imports.of(Import.Format.VCARD, card.repeat(3)).lines())
                .hasSize(3)
                .containsOnly("a@x.example" + RULE);
    }

    /** Writes random cards with ez-vcard, and expects what it reads in them. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9})
    void vcardShouldReadWhatEzVCardReads(long seed) throws IOException {
        Random random = new Random(seed);
        VCardVersion version = VERSIONS.get(random.nextInt(VERSIONS.size()));
        StringWriter book = new StringWriter();
        VCardWriter writer = new VCardWriter(book, version);
        for (int i = 0; i < 50; i++) {
            writer.write(card(random, version));
        }
        List<String> expected = new ArrayList<>();
        for (VCard card : new VCardReader(new StringReader(book.toString())).readAll()) {
            card.getEmails().forEach(email -> expected.add(key(email.getValue()) + RULE));
        }
        Imports imported = Imports.of(Import.Format.VCARD, book.toString());
        assertThat(expected).hasSizeGreaterThan(50);
        assertThat(imported.lines()).isEqualTo(expected);
        assertThat(imported.reports()).isEmpty();
    }

    private static String key(String address) {
        return ((Address) AddressSyntax.parse(address)).toString();
    }

    private static VCard card(Random random, VCardVersion version) {
        VCard card = new VCard(version);
        card.setFormattedName(word(random));
        byte[] picture = new byte[random.nextInt(500)];
        random.nextBytes(picture);
        card.addPhoto(new Photo(picture, ImageType.JPEG));
        card.addNote(new Note("EMAIL:mallory@evil.example\n" + word(random).repeat(9)));
        for (int i = random.nextInt(4); i >= 0; i--) {
            Email email = new Email(word(random) + "@" + word(random) + ".example");
            email.setGroup(random.nextBoolean() ? "item" + i : null);
            if (version == VCardVersion.V2_1 && random.nextBoolean()) {
                email.getParameters().setEncoding(Encoding.QUOTED_PRINTABLE);
                email.getParameters().setCharset("UTF-8");
            }
            card.addEmail(email);
        }
        return card;
    }

    /** Returns letters, some beyond ASCII, long enough that some lines are folded. */
    private static String word(Random random) {
        StringBuilder word = new StringBuilder();
        for (int i = 1 + random.nextInt(30); i > 0; i--) {
            word.append("abcdefghijklmnopqrstuvwxyzABCäßé字".charAt(random.nextInt(33)));
        }
        return word.toString();
    }
}
