package io.github.senderwhitelist.it;

import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;

/** Changes to a {@code mailetcontainer.xml}: what the tests need to differ from the shipped one. */
final class MailetContainer {
    static final String WHITELIST = "io.github.senderwhitelist.mailet.SenderWhitelist";

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
        each(
                "mailet",
                mailet -> mailet.getAttribute("class").equals(mailetClass),
                mailet ->
                        parameters.forEach(
                                (name, value) -> {
                                    Element parameter = document.createElement(name);
                                    parameter.setTextContent(value);
                                    remove(mailet, name);
                                    mailet.appendChild(parameter);
                                }));
        return this;
    }

    /** Lets the whitelist, and the matchers before SPF and DKIM, ask these lists. */
    MailetContainer lists(String lists) {
        each(
                "mailet",
                mailet -> mailet.getAttribute("match").contains(LISTS),
                mailet ->
                        mailet.setAttribute(
                                "match", mailet.getAttribute("match").replace(LISTS, lists)));
        return set(WHITELIST, Map.of("whitelist", lists));
    }

    /** Takes a parameter away from every mailet of the class. */
    MailetContainer unset(String mailetClass, String name) {
        each(
                "mailet",
                mailet -> mailet.getAttribute("class").equals(mailetClass),
                mailet -> remove(mailet, name));
        return this;
    }

    /**
     * Puts a mailet before every one of the class; a name with dots makes elements within elements,
     * as attributes with dots in their names need.
     */
    MailetContainer before(
            String mailetClass, String matcher, String inserted, Map<String, String> parameters) {
        each(
                "mailet",
                mailet -> mailet.getAttribute("class").equals(mailetClass),
                mailet ->
                        Objects.requireNonNull(mailet.getParentNode())
                                .insertBefore(mailet(matcher, inserted, parameters), mailet));
        return this;
    }

    /** Puts a mailet at the start of a processor. */
    MailetContainer insert(
            String processor, String matcher, String mailetClass, Map<String, String> parameters) {
        each(
                "processor",
                element -> element.getAttribute("state").equals(processor),
                element ->
                        element.insertBefore(
                                mailet(matcher, mailetClass, parameters), element.getFirstChild()));
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
                        inner = (Element) inner.appendChild(document.createElement(part));
                    }
                    inner.setTextContent(value);
                });
        return mailet;
    }

    /** Puts other mailets or matchers in the place of those named, also in matchers of matchers. */
    MailetContainer replace(String attribute, Map<String, String> replacements) {
        each(
                "*",
                element -> replacements.containsKey(element.getAttribute(attribute)),
                element ->
                        element.setAttribute(
                                attribute, replacements.get(element.getAttribute(attribute))));
        return this;
    }

    private void each(String tag, Predicate<Element> wanted, Consumer<Element> change) {
        List<Element> found =
                elements(document.getElementsByTagName(tag)).stream().filter(wanted).toList();
        if (found.isEmpty()) {
            throw new IllegalStateException("mailetcontainer.xml has no such " + tag);
        }
        found.forEach(change);
    }

    private static void remove(Element mailet, String parameter) {
        elements(mailet.getElementsByTagName(parameter)).forEach(mailet::removeChild);
    }

    private static List<Element> elements(NodeList nodes) {
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            Node node = nodes.item(i);
            if (node instanceof Element element) {
                elements.add(element);
            }
        }
        return elements;
    }
}
