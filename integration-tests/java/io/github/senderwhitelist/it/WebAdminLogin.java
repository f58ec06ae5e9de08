package io.github.senderwhitelist.it;

import io.jsonwebtoken.Jwts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;

/** The login to the WebAdmin of James 3.8.1: a token, signed with a key whose other half it has. */
final class WebAdminLogin {
    /** Where the directory of a server has the token that it takes. */
    static final String FILE = "webadmin-token";

    private WebAdminLogin() {}

    /**
     * Lets a server take one token only, of a key that nobody keeps. Only the owner can read the
     * file of the token.
     */
    static void require(ServerDirectory directory) throws IOException, GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair key = generator.generateKeyPair();
        Files.writeString(
                directory.conf("webadmin-key.pem"),
                "-----BEGIN PUBLIC KEY-----\n"
                        + Base64.getMimeEncoder().encodeToString(key.getPublic().getEncoded())
                        + "\n-----END PUBLIC KEY-----\n");
        Files.writeString(
                directory.conf("webadmin.properties"),
                "jwt.enabled=true\njwt.publickeypem.url=file://conf/webadmin-key.pem\n",
                StandardOpenOption.APPEND);
        Path file = directory.path().resolve(FILE);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(
                file,
                Jwts.builder()
                        .setSubject("root@here.example")
                        .claim("admin", true)
                        .signWith(key.getPrivate())
                        .compact());
    }

    /** Returns the token that a server takes, or an empty text. */
    static String token(ServerDirectory directory) throws IOException {
        Path file = directory.path().resolve(FILE);
        return Files.exists(file) ? Files.readString(file) : "";
    }
}
