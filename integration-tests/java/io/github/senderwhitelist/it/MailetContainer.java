package io.github.senderwhitelist.it;

import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;

/** Changes to a {@code mailetcontainer.xml}: what the tests need to differ from the shipped one. */
final class MailetContainer {
    static final String WHITELIST = "io.github.senderwhitelist.mailet.SenderWhitelist";

    /** What the shipped SPF mailet leaves on a mail that SPF confirms. */
    static final Map<String, String> SPF_PASSES =
            Map.of("org.apache.james.transport.mailets.spf.result", "pass");

    /** The lists of the shipped pipeline. */
    private static final String LISTS = "file://conf/whitelist.txt,own";

    private final Document document;

    private MailetContainer(Document document) {
        this.document = document;
    }

    static void edit(Path file, Consumer<MailetContainer> change) throws IOException {
        try {
            Document document =
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
            change.accept(new MailetContainer(document));
            TransformerFactory.newInstance()
                    .newTransformer()
                    .transform(new DOMSource(document), new StreamResult(file.toFile()));
        } catch (ParserConfigurationException | SAXException | TransformerException e) {
            throw new IOException(file.toString(), e);
        }
    }

    /** Sets parameters of every mailet of the class. */
    MailetContainer set(String mailetClass, Map<String, String> parameters) {
        for (Element mailet : all("mailet", "class", mailetClass)) {
            parameters.forEach(
                    (name, value) -> {
                        elements(mailet.getElementsByTagName(name)).forEach(mailet::removeChild);
                        append(mailet, name).setTextContent(value);
                    });
        }
        return this;
    }

    /** Lets the whitelist, and the matchers before SPF and DKIM, ask these lists. */
    MailetContainer lists(String lists) {
        for (Element mailet : elements(document.getElementsByTagName("mailet"))) {
            mailet.setAttribute("match", mailet.getAttribute("match").replace(LISTS, lists));
        }
        return set(WHITELIST, Map.of("whitelist", lists));
    }

    /**
     * Sets attributes of mails that a matcher takes, before the whitelist is asked. Mailets for SPF
     * and DKIM find nothing for domains that are not there.
     */
    MailetContainer attributes(String matcher, Map<String, String> attributes) {
        return before(WHITELIST, matcher, "SetMailAttribute", attributes);
    }

    /**
     * Puts a mailet before every one of the class; a name with dots makes elements within elements,
     * as attributes with dots in their names need.
     */
    MailetContainer before(
            String mailetClass, String matcher, String inserted, Map<String, String> parameters) {
        for (Element mailet : all("mailet", "class", mailetClass)) {
            Objects.requireNonNull(mailet.getParentNode())
                    .insertBefore(mailet(matcher, inserted, parameters), mailet);
        }
        return this;
    }

    /** Puts a mailet at the start of a processor. */
    MailetContainer insert(
            String processor, String matcher, String mailetClass, Map<String, String> parameters) {
        for (Element element : all("processor", "state", processor)) {
            element.insertBefore(mailet(matcher, mailetClass, parameters), element.getFirstChild());
        }
        return this;
    }

    /** Takes every mailet of the class away. */
    MailetContainer remove(String mailetClass) {
        for (Element mailet : all("mailet", "class", mailetClass)) {
            Objects.requireNonNull(mailet.getParentNode()).removeChild(mailet);
        }
        return this;
    }

    private Element mailet(String matcher, String mailetClass, Map<String, String> parameters) {
        Element mailet = document.createElement("mailet");
        mailet.setAttribute("match", matcher);
        mailet.setAttribute("class", mailetClass);
        parameters.forEach(
                (name, value) -> {
                    Element inner = mailet;
                    for (String part : name.split("\\.", -1)) {
                        inner = append(inner, part);
                    }
                    inner.setTextContent(value);
                });
        return mailet;
    }

    private Element append(Element parent, String name) {
        return (Element) parent.appendChild(document.createElement(name));
    }

    /** Puts other mailets or matchers in the place of those named, also in matchers of matchers. */
    MailetContainer replace(String attribute, Map<String, String> replacements) {
        for (Element element : elements(document.getElementsByTagName("*"))) {
            String other = replacements.get(element.getAttribute(attribute));
            if (other != null) {
                element.setAttribute(attribute, other);
            }
        }
        return this;
    }

    /** Returns elements with an attribute, of which there must be one. */
    private List<Element> all(String tag, String attribute, String value) {
        List<Element> found =
                elements(document.getElementsByTagName(tag)).stream()
                        .filter(element -> element.getAttribute(attribute).equals(value))
                        .toList();
        if (found.isEmpty()) {
            throw new IllegalStateException("mailetcontainer.xml has no " + tag + " " + value);
        }
        return found;
    }

    private static List<Element> elements(NodeList nodes) {
        return IntStream.range(0, nodes.getLength())
                .mapToObj(i -> (Element) nodes.item(i))
                .toList();
    }
}
